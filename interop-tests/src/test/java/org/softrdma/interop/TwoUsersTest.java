// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two users of one network namespace, each with a daemon of its own: root, whom the kernel lets at all files, and nobody, whom it does not.
 * They meet on the wire, and nowhere else.
 */
class TwoUsersTest {
    @RegisterExtension
    static final NamespaceExtension NAMESPACES = new NamespaceExtension("ip", "setpriv", "find", "ibv_rc_pingpong");

    private static final Duration DEADLINE = Duration.ofMinutes(2);
    private static final int PORT = 18700;
    private static final String SERVER = "ibv_rc_pingpong -c -g 1 -n 200 -p " + PORT;

    @TempDir
    private Path directory;
    private VethPair wire;
    private Path roots;
    private Path nobodys;

    @BeforeEach
    void prepare() throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.copy(KernelLab.root().resolve("softrdma"), directory.resolve("softrdma"));
        Files.copy(KernelLab.root().resolve("rdma-tools/target/softrdma.jar"), directory.resolve("softrdma.jar"));
        roots = directory.resolve("root/state");
        nobodys = directory.resolve("nobody/state");
        wire = new VethPair("two-users", 1500);
    }

    @AfterEach
    void stop() {
        try {
            output(true, roots, "daemon stop");
            output(false, nobodys, "daemon stop");
        } finally {
            wire.close();
        }
    }

    private RunningCommand start(boolean asRoot, Path state, String file, List<String> words) {
        List<String> command = new ArrayList<>();
        if (!asRoot) {
            command.addAll(List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));
        }
        command.addAll(words);
        return wire.a.startAny(Map.of("SOFTRDMA_STATE_DIR", state.toString(), "SOFTRDMA_NO_AOT", "1"), file, command);
    }

    private RunningCommand tool(boolean asRoot, Path state, String file, String line) {
        List<String> words = new ArrayList<>(List.of(directory.resolve("softrdma").toString()));
        words.addAll(List.of(line.split(" ")));
        return start(asRoot, state, file, words);
    }

    private String output(boolean asRoot, Path state, String line) {
        try (RunningCommand running = tool(asRoot, state, "tool", line)) {
            running.awaitExit(DEADLINE);
            return running.output();
        }
    }

    @Test
    void shouldMeetOnTheWireOnly() {
        output(true, roots, "daemon start");
        output(false, nobodys, "daemon start");
        try (RunningCommand server = tool(true, roots, "server", "run -- " + SERVER)) {
            wire.a.awaitListener(server, PORT);

            shouldHaveFilesOfItsOwn();
            String listed = output(true, roots, "rdma resource show qp");
            assertTrue(listed.contains(" lqpn ") && listed.contains(" comm ibv_rc_pingpong"), "the program that has it: " + listed);
            assertFalse(output(false, nobodys, "rdma resource show qp").contains(" lqpn "), "another user's queue pair is listed");
            shouldNotReachTheDaemonOfAnother();

            try (RunningCommand client = tool(false, nobodys, "client", "run -- " + SERVER + " 127.0.0.1")) {
                String text = client.awaitSuccess(DEADLINE) + server.awaitSuccess(DEADLINE);
                assertFalse(text.contains("invalid data"), text);
                assertTrue(text.contains("GID ::ffff:127.0.0.1") && text.contains("GID ::ffff:127.0.0.2"), "one address each: " + text);
            }
        }
    }

    /** A file that may be read may be locked, and a lock of another user would keep the daemon from starting. */
    private void shouldHaveFilesOfItsOwn() {
        try (RunningCommand search = start(false, nobodys, "find", List.of("find", roots.getParent().toString(), "-readable"))) {
            search.awaitExit(DEADLINE);
            assertTrue(search.output().lines().allMatch(each -> each.startsWith("find: ") && each.endsWith("Permission denied")),
                search.output());
        }
    }

    private void shouldNotReachTheDaemonOfAnother() {
        for (String line : List.of("run -- true", "daemon stop")) {
            String refusal = output(false, roots, line);
            assertTrue(refusal.contains("EACCES"), refusal);
            String refusalOfRoot = output(true, nobodys, line);
            assertTrue(refusalOfRoot.contains("is another user's"), refusalOfRoot);
        }
        assertTrue(output(true, roots, "daemon status").contains("programs: 1"));
        assertTrue(output(false, nobodys, "daemon status").contains("programs: 0"));
    }
}
