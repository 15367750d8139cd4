// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.host.config.NetDevice;
import org.softrdma.verbs.Gid;

/** A group whose members are two devices of this process and one of another process, over real sockets on the loopback interface. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class MulticastProcessesTest {
    /** 239.71 and two bytes of this process's id: other runs of this test on the host have groups of their own. */
    private static final String GROUP = "239.71." + (pid() >> 8 & 0xff) + "." + (pid() & 0xff);

    private static long pid() {
        return ProcessHandle.current().pid();
    }

    @Test
    void shouldReachEveryProcessOnTheHost() throws Exception {
        assumeTrue(System.getProperty("os.name").equals("Linux"), "not every system takes multicast on its loopback interface");
        String lo = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow().name();
        Gid group = Gid.of(InetAddress.getByName(GROUP));
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"), MulticastPeer.class.getName(), lo, GROUP)
            .redirectErrorStream(true).start();
        try (MulticastPeer sender = new MulticastPeer("sender", lo, group);
             MulticastPeer neighbour = new MulticastPeer("neighbour", lo, group);
             BufferedReader other = process.inputReader()) {
            assertEquals("ready", other.readLine());
            sender.send(1, "hello");
            String expected = "hello from " + sender.gid(1);
            assertEquals(expected, other.readLine());
            assertEquals(expected, neighbour.receive());
            assertEquals(expected, sender.receive());
        } finally {
            process.destroyForcibly();
        }
    }
}
