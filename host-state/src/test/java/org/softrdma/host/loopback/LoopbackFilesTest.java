// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.loopback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.PortSpace;

/** Table of listeners on the loopback interface, shared by processes. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LoopbackFilesTest {
    private static final LoopbackListeners.Port PORT = new LoopbackListeners.Port(PortSpace.TCP, 7174);
    private static final LoopbackListeners.Port OTHER_PORT = new LoopbackListeners.Port(PortSpace.TCP, 7175);

    @TempDir
    Path state;

    /** A process that claims the port until its input ends. */
    static final class Process7174 {
        private Process7174() {
        }

        public static void main(String[] arguments) throws IOException {
            LoopbackListeners.Claim claim = new LoopbackFiles(Path.of(arguments[0])).claim(PORT, ip("127.0.0.9"));
            System.out.println("claimed");
            if (System.in.read() == 'x') {
                Runtime.getRuntime().halt(1);
            }
            claim.close();
        }
    }

    private static InetAddress ip(String text) {
        return InetAddress.ofLiteral(text);
    }

    private Process start() throws IOException {
        return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
            "-cp", System.getProperty("java.class.path"), Process7174.class.getName(), state.toString()).redirectErrorStream(true).start();
    }

    @Test
    void shouldSeeClaimsOfThisProcess() {
        LoopbackFiles files = new LoopbackFiles(state);
        assertNull(files.find(PORT));
        LoopbackListeners.Claim claim = files.claim(PORT, ip("127.0.0.3"));
        assertEquals(ip("127.0.0.3"), files.find(PORT));
        assertNull(files.find(new LoopbackListeners.Port(PortSpace.UDP, 7174)));
        assertEquals(Errno.EADDRINUSE,
            assertThrows(VerbsException.class, () -> files.claim(PORT, ip("127.0.0.3"))).errno());
        claim.close();
        claim.close();
        assertNull(files.find(PORT));
    }

    @Test
    void shouldSeeClaimsOfOtherProcessesAsLongAsTheyLive() throws Exception {
        LoopbackFiles files = new LoopbackFiles(state);
        Process process = start();
        try (BufferedReader says = process.inputReader()) {
            assertEquals("claimed", says.readLine());
            assertEquals(ip("127.0.0.9"), files.find(PORT));
            VerbsException taken = assertThrows(VerbsException.class, () -> files.claim(PORT, ip("127.0.0.3")));
            assertEquals(Errno.EADDRINUSE, taken.errno());
            assertTrue(taken.getMessage().contains("127.0.0.9"), taken.getMessage());
            // It dies without giving anything back.
            process.getOutputStream().write('x');
            process.getOutputStream().flush();
            process.waitFor();
            assertNull(files.find(PORT));
            files.claim(PORT, ip("127.0.0.3")).close();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void shouldRemoveTheFilesOfKilledProcesses() throws Exception {
        Process process = start();
        try (BufferedReader says = process.inputReader()) {
            assertEquals("claimed", says.readLine());
            try (LoopbackListeners.Claim _ = new LoopbackFiles(state).claim(OTHER_PORT, ip("127.0.0.3"))) {
                assertEquals(ip("127.0.0.9"), new LoopbackFiles(state).find(PORT), "the file of a living process must stay");
            }
            process.destroyForcibly().waitFor();
        }
        try (LoopbackListeners.Claim _ = new LoopbackFiles(state).claim(OTHER_PORT, ip("127.0.0.3"));
             Stream<Path> files = Files.walk(state)) {
            assertEquals(List.of("tcp-7175"),
                files.filter(Files::isRegularFile).map(file -> file.getFileName().toString()).toList());
        }
    }

    @Test
    void shouldDoWithoutADirectory() throws IOException {
        Path file = Files.writeString(state.resolve("in-the-way"), "");
        LoopbackFiles files = new LoopbackFiles(file);
        LoopbackListeners.Claim claim = files.claim(PORT, ip("127.0.0.3"));
        assertEquals(ip("127.0.0.3"), files.find(PORT));
        claim.close();
        assertNull(files.find(PORT));
    }
}
