// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.host.config.NetworkNamespace;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;

/** Devices with {@code wire shm} on real sockets, in one process and in two. */
@Timeout(120)
class SharedMemoryTest {
    private static byte[] data(int size, long seed) {
        byte[] data = new byte[size];
        new Random(seed).nextBytes(data);
        return data;
    }

    private static void fill(SharedMemoryPeer peer, byte[] data) {
        MemorySegment.copy(data, 0, peer.region.memory(), ValueLayout.JAVA_BYTE, 0, data.length);
    }

    private static byte[] bytes(SharedMemoryPeer peer, int offset, int length) {
        return peer.region.memory().asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    }

    @Test
    void shouldCarryEverythingBetweenTwoDevices() {
        try (SharedMemoryPeer a = new SharedMemoryPeer("shm-a"); SharedMemoryPeer b = new SharedMemoryPeer("shm-b")) {
            a.connect(b.text());
            b.connect(a.text());
            byte[] data = data(SharedMemoryPeer.SIZE, 1);
            fill(a, data);
            b.postReceive(SharedMemoryPeer.SIZE, SharedMemoryPeer.SIZE);
            a.post(new SendRequest().write(b.region.address(), b.region.rkey()).element(a.region, 0, SharedMemoryPeer.SIZE));
            a.post(new SendRequest().send().element(a.region, 0, SharedMemoryPeer.SIZE));
            a.post(new SendRequest().read(b.region.address(), b.region.rkey())
                .element(a.region, SharedMemoryPeer.SIZE, SharedMemoryPeer.SIZE));
            for (int i = 0; i < 3; i++) {
                assertEquals(WcStatus.SUCCESS, a.await());
            }
            assertEquals(WcStatus.SUCCESS, b.await());
            assertArrayEquals(data, bytes(b, 0, SharedMemoryPeer.SIZE), "written");
            assertArrayEquals(data, bytes(b, SharedMemoryPeer.SIZE, SharedMemoryPeer.SIZE), "sent");
            assertArrayEquals(data, bytes(a, SharedMemoryPeer.SIZE, SharedMemoryPeer.SIZE), "read");
            // Each MiB is 1,024 packets of path MTU 1024; at most a window of them went by the network before the ring was read.
            assertTrue(a.count("shm_sent") >= 1024 && b.count("shm_sent") >= 512, a.context.counters() + " " + b.context.counters());
            assertEquals(0, a.count("drop_bad_icrc") + b.count("drop_bad_icrc") + a.count("unsent_shm_peer_gone"));
        }
        assertEquals(List.of(), filesOfLoopback());
    }

    @Test
    void shouldGoOnWhenThePeerIsKilledAndLeaveNothing() throws Exception {
        try (SharedMemoryPeer survivor = new SharedMemoryPeer("shm-survivor")) {
            for (int life = 0; life < 2; life++) {
                Process process = start();
                try {
                    survivor.connect(process.inputReader().readLine());
                    process.outputWriter().append(survivor.text()).append('\n').flush();
                    assertEquals("connected", process.inputReader().readLine());
                    long before = survivor.count("shm_received");
                    for (int i = 0; i < 20; i++) {
                        exchange(survivor, i);
                    }
                    assertTrue(survivor.count("shm_received") > before, survivor.context.counters().toString());
                } finally {
                    process.destroyForcibly().waitFor();
                }
                survivor.post(new SendRequest().send().element(survivor.region, 0, SharedMemoryPeer.MESSAGE));
                assertEquals(WcStatus.RETRY_EXC_ERR, survivor.await());
                survivor.openQp();
            }
        }
        assertEquals(List.of(), filesOfLoopback());
    }

    private static void exchange(SharedMemoryPeer peer, int seed) {
        byte[] data = data(SharedMemoryPeer.MESSAGE, seed);
        fill(peer, data);
        peer.postReceive(SharedMemoryPeer.SIZE, SharedMemoryPeer.MESSAGE);
        peer.post(new SendRequest().send().element(peer.region, 0, SharedMemoryPeer.MESSAGE));
        assertEquals(WcStatus.SUCCESS, peer.await());
        assertEquals(WcStatus.SUCCESS, peer.await());
        assertArrayEquals(data, bytes(peer, SharedMemoryPeer.SIZE, SharedMemoryPeer.MESSAGE));
    }

    private static Process start() throws IOException {
        return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "--enable-native-access=ALL-UNNAMED",
            "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), SharedMemoryPeer.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    /** Files in shared memory, of this network namespace, for addresses that devices on the loopback interface use. */
    private static List<Path> filesOfLoopback() {
        Gid loopback = Gid.ofIpv4(0x7f000000);
        String prefix = String.format("%016x%010x", loopback.high(), loopback.low() >>> 24);
        Path parent = Files.isDirectory(Path.of("/dev/shm")) ? Path.of("/dev/shm") : Path.of(System.getProperty("java.io.tmpdir"));
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> directories =
                 Files.newDirectoryStream(parent, "softrdma-shm-*-" + NetworkNamespace.ofThisProcess())) {
            for (Path each : directories) {
                if (Files.isReadable(each)) {
                    try (DirectoryStream<Path> files = Files.newDirectoryStream(each, prefix + "*")) {
                        files.forEach(found::add);
                    }
                }
            }
            return found;
        } catch (IOException unreadable) {
            throw new AssertionError(unreadable);
        }
    }
}
