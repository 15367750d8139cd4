// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.host.config.NetDevice;
import org.softrdma.host.config.StateDirectory;
import org.softrdma.host.orphans.ConnectionRecord;
import org.softrdma.link.sim.PlainIcrc;
import org.softrdma.rxe.cm.GidPair;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;

/** The datagram sent for a process that was killed with one connection, byte by byte at the peer's socket. The DREQ is a captured one. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class OrphanedConnectionsTest {
    private static final String LO = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow().name();
    private static final String DREQ =
        "0107020300000000" + "00000002d2cb2498" + "0015000000000000" + "9824cbd2" + "766935a2" + "a7395b00";
    private static final int BTH_AND_DETH = 20;
    private static final int MAD = 256;
    private static final int ICRC = 4;

    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(10);

    /** Records one connection between two addresses, and waits until it is killed. */
    static final class Victim {
        private Victim() {
        }

        public static void main(String[] arguments) throws IOException {
            GidPair gids = new GidPair(GidType.ROCE_V2, Gid.of(InetAddress.getByName(arguments[0])),
                Gid.of(InetAddress.getByName(arguments[1])));
            ByteBuffer dreq = ByteBuffer.wrap(Arrays.copyOf(HexFormat.of().parseHex(DREQ), MAD));
            int slot = new RecordedDisconnects(new ConnectionRecord(StateDirectory.ofUser())).keep(gids, dreq);
            System.out.println(slot == ConnectionRecord.NONE ? "not recorded" : "recorded");
            System.in.read();
        }
    }

    /** Waits for a packet: sent while the device opens, or in the next round of the watch that another device of this process keeps. */
    private static InetSocketAddress receive(DatagramChannel socket, ByteBuffer packet) throws IOException {
        long untilNs = System.nanoTime() + PATIENCE_NS;
        SocketAddress from = socket.receive(packet);
        while (from == null) {
            assertTrue(System.nanoTime() - untilNs < 0, "no DREQ is sent");
            LockSupport.parkNanos(1_000_000);
            from = socket.receive(packet);
        }
        return (InetSocketAddress) from;
    }

    private static boolean hasRecord(long pid) throws IOException {
        try (Stream<Path> files = Files.walk(StateDirectory.ofUser())) {
            return files.anyMatch(file -> file.getFileName().toString().matches(pid + "-.*\\.connections"));
        }
    }

    @Test
    void shouldSendTheDreqOfAKilledProcessFromItsAddressWhenADeviceIsOpened() throws Exception {
        InetAddress dead = InetAddress.getByName("127.0.201.1");
        InetAddress peer = InetAddress.getByName("127.0.201.2");
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
            System.getProperty("java.class.path"), Victim.class.getName(), dead.getHostAddress(), peer.getHostAddress())
            .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (DatagramChannel socket = DatagramChannel.open()) {
            socket.bind(new InetSocketAddress(peer, 4791)).configureBlocking(false);
            assertEquals("recorded", process.inputReader().readLine());
            assertEquals(true, hasRecord(process.pid()));
            process.destroyForcibly().waitFor();

            ByteBuffer packet = ByteBuffer.allocate(1000);
            try (Context context = Rxe.device("orphans", LO).open()) {
                assertNotNull(context);
                InetSocketAddress from = receive(socket, packet);
                assertEquals(dead, from.getAddress());
                int length = packet.position();
                assertEquals(BTH_AND_DETH + MAD + ICRC, length);
                assertArrayEquals(Arrays.copyOf(HexFormat.of().parseHex(DREQ), MAD),
                    Arrays.copyOfRange(packet.array(), BTH_AND_DETH, BTH_AND_DETH + MAD));
                assertEquals("6400ffff00000001", HexFormat.of().formatHex(packet.array(), 0, 8), "UD SEND Only to queue pair 1");
                assertEquals("8001000000000001", HexFormat.of().formatHex(packet.array(), 12, 20), "from queue pair 1, with its key");
                assertEquals(PlainIcrc.of(Gid.of(dead), Gid.of(peer), from.getPort(), packet, 0, length),
                    PlainIcrc.stored(packet, 0, length));
                assertEquals(null, socket.receive(packet.clear()), "once");
            }
            assertFalse(hasRecord(process.pid()));
        } finally {
            process.destroyForcibly();
        }
    }
}
