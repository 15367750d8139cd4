// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.Mtu;

/** Our half of the conversation over TCP, against a peer made of a plain socket; messages are perftest 4.5's. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class PeerTest {
    private static final byte[] VERSION = Arrays.copyOf(ascii("6.06"), 16);
    private static final Keys KEYS = new Keys(0, 1, 0x11, 0x123456, 0x1234, 0x7f0000001000L, Gid.ofIpv4(0x0a000001), 0);
    private static final byte[] KEYS_TEXT = ascii(
        "0000:0001:000011:123456:00001234:00007f0000001000:00:00:00:00:00:00:00:00:00:00:ff:ff:0a:00:00:01:00000000:\0");

    /** The other end: gets a connected socket. */
    private interface Script {
        void play(Socket socket) throws IOException;
    }

    @Test
    void shouldSpeakFirstAsClient() {
        play(true, socket -> {
            expect(socket, VERSION);
            send(socket, VERSION);
            expect(socket, hex("00001000"));
            send(socket, hex("00010000"));
            expect(socket, hex("00000040"));
            send(socket, hex("00000040"));
            expect(socket, ascii("5\0"));
            send(socket, ascii("3\0"));
            expect(socket, KEYS_TEXT);
            send(socket, KEYS_TEXT);
            expect(socket, KEYS_TEXT);
            send(socket, KEYS_TEXT);
            assertArrayEquals(ascii("done\0"), socket.getInputStream().readAllBytes());
        }, peer -> {
            peer.exchangeVersions();
            assertEquals(65536, peer.largerOf(4096, "Page Size"));
            assertEquals(64, peer.largerOf(64, "Cache Line Size"));
            assertEquals(Mtu.MTU_1024, peer.smallerOf(Mtu.MTU_4096));
            assertEquals(KEYS, peer.exchangeKeys(KEYS));
            peer.finish(KEYS);
        });
    }

    @Test
    void shouldAnswerAsServer() {
        play(false, socket -> {
            send(socket, VERSION);
            expect(socket, VERSION);
            send(socket, ascii("5\0"));
            expect(socket, ascii("3\0"));
            send(socket, KEYS_TEXT);
            expect(socket, KEYS_TEXT);
        }, peer -> {
            peer.exchangeVersions();
            assertEquals(Mtu.MTU_1024, peer.smallerOf(Mtu.MTU_1024));
            assertEquals(KEYS, peer.exchangeKeys(KEYS));
        });
    }

    /** size, iterations, peak, average, rate: 65536, 5000, 1.5, 1.25, 0.5; IEEE 754, big-endian. */
    @Test
    void shouldExchangeReportsNumberByNumber() {
        String[] numbers = {"0000000000010000", "0000000000001388", "3ff8000000000000", "3ff4000000000000", "3fe0000000000000"};
        BandwidthReport report = new BandwidthReport(65536, 5000, 1.5, 1.25, 0.5);
        play(true, socket -> {
            for (String each : numbers) {
                expect(socket, hex(each));
                send(socket, hex(each));
            }
        }, peer -> assertEquals(report, peer.exchangeReports(report)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"5.69", "4.2", "", "SSH-2.0-OpenSSH", "x6.06"})
    void shouldRefuseWhoIsTooOld(String version) {
        ToolFailure failure = failure(socket -> {
            expect(socket, VERSION);
            send(socket, Arrays.copyOf(ascii(version), 16));
        }, Peer::exchangeVersions);

        assertEquals(1, failure.exitCode());
        assertTrue(failure.getMessage().startsWith("Current implementation is not compatible with versions older than 5.70\n"),
            failure.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"5.70", "6.06", "6.23", "7"})
    void shouldTakeOtherVersions(String version) {
        play(true, socket -> {
            expect(socket, VERSION);
            send(socket, Arrays.copyOf(ascii(version), 16));
        }, Peer::exchangeVersions);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0\0", "6\0", "9\0", "-1", "x\0", "\0\0"})
    void shouldNotTakeAnMtuThatIsNone(String digit) {
        play(true, socket -> {
            expect(socket, ascii("3\0"));
            send(socket, ascii(digit));
        }, peer -> assertEquals(Mtu.MTU_1024, peer.smallerOf(Mtu.MTU_1024)));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 15})
    void shouldSayThatThePeerLeft(int sent) {
        ToolFailure failure = failure(socket -> {
            expect(socket, VERSION);
            send(socket, Arrays.copyOf(VERSION, sent));
        }, Peer::exchangeVersions);

        assertEquals(1, failure.exitCode());
        assertEquals("ethernet_read_data: Couldn't read reports\nthe peer closed after " + sent
            + " of 16 bytes; its output says why\n Unable to read from socket/rdma_cm\n Failed to exchange data between server and clients",
            failure.getMessage());
    }

    @Test
    void shouldSayThatThePeerLeftBeforeItsKeys() {
        ToolFailure failure = failure(socket -> expect(socket, KEYS_TEXT), peer -> peer.exchangeKeys(KEYS));

        assertTrue(failure.getMessage().startsWith("ethernet_read_keys: Couldn't read remote address\n"), failure.getMessage());
        assertTrue(failure.getMessage().endsWith("\n Unable to read from socket/rdma_cm\n"
            + "Failed to exchange data between server and clients"), failure.getMessage());
    }

    @Test
    void shouldShowWhatItCannotParse() {
        byte[] garbage = new byte[Keys.TEXT_BYTES];
        Arrays.fill(garbage, (byte) 0x07);
        ToolFailure failure = failure(socket -> {
            expect(socket, KEYS_TEXT);
            send(socket, garbage);
        }, peer -> peer.exchangeKeys(KEYS));

        assertTrue(failure.getMessage().startsWith("Couldn't parse line <" + ".".repeat(Keys.TEXT_BYTES) + ">: it has 0 fields"),
            failure.getMessage());
    }

    /** A peer may split what it sends, even if the original would not like it. */
    @Test
    void shouldPutSplitMessagesTogether() {
        play(true, socket -> {
            socket.setTcpNoDelay(true);
            expect(socket, KEYS_TEXT);
            for (byte each : KEYS_TEXT) {
                socket.getOutputStream().write(each);
            }
        }, peer -> assertEquals(KEYS, peer.exchangeKeys(KEYS)));
    }

    /** The original reads once, and wants all of it. */
    @Test
    void shouldSendEachMessageInOnePiece() {
        play(true, socket -> {
            byte[] oneRead = new byte[200];
            assertEquals(Keys.TEXT_BYTES, socket.getInputStream().read(oneRead));
            send(socket, KEYS_TEXT);
        }, peer -> peer.meet(KEYS));
    }

    /** Any input of the peer ends the exchange, with a message. */
    @Test
    void shouldSurviveAHostilePeer() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 200; i++) {
            byte[] noise = new byte[random.nextInt(400)];
            random.nextBytes(noise);
            if (random.nextBoolean() && noise.length >= VERSION.length) {
                System.arraycopy(VERSION, 0, noise, 0, VERSION.length);
            }
            ToolFailure failure = failure(socket -> {
                send(socket, noise);
                socket.shutdownOutput();
                socket.getInputStream().readAllBytes();
            }, peer -> {
                peer.exchangeVersions();
                peer.largerOf(4096, "Page Size");
                peer.largerOf(64, "Cache Line Size");
                peer.smallerOf(Mtu.MTU_4096);
                peer.exchangeKeys(KEYS);
                peer.exchangeReports(BandwidthReport.NONE);
                peer.finish(KEYS);
            });
            assertEquals(1, failure.exitCode(), "seed " + seed);
        }
    }

    // --- both ends ---

    private static void play(boolean speaksFirst, Script script, Consumer<Peer> ours) {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> theirs = CompletableFuture.runAsync(() -> {
                try (Socket socket = listener.accept()) {
                    script.play(socket);
                } catch (IOException gone) {
                    throw new IllegalStateException(gone);
                }
            });
            try (Peer peer = new Peer(new TcpChannel(new Socket(listener.getInetAddress(), listener.getLocalPort())), speaksFirst)) {
                ours.accept(peer);
            }
            theirs.join();
        } catch (IOException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static ToolFailure failure(Script script, Consumer<Peer> ours) {
        ToolFailure[] failure = new ToolFailure[1];
        play(true, script, peer -> failure[0] = assertThrows(ToolFailure.class, () -> ours.accept(peer)));
        return failure[0];
    }

    private static void expect(Socket socket, byte[] message) throws IOException {
        assertArrayEquals(message, socket.getInputStream().readNBytes(message.length));
    }

    private static void send(Socket socket, byte[] message) throws IOException {
        socket.getOutputStream().write(message);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits);
    }
}
