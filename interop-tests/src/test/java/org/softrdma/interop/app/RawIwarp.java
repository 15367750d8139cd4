// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop.app;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32C;

/**
 * An initiator on a plain socket whose bytes are chosen by the test. It encodes segments and frames with CRC independently of the library,
 * according to RFC 5044, RFC 5041 and RFC 5040.
 */
final class RawIwarp implements AutoCloseable {
    /** "MPA ID Req Frame", CRC and the enhanced start-up, revision 2, IRD 4 and ORD 4. */
    private static final String REQUEST = "4d504120494420526571204672616d65" + "50020004" + "00040004";
    /** Sink of Read Requests; its value is arbitrary, since a response carries the sink of its request. */
    private static final int SINK_STAG = 0x5afe0100;
    private static final long SINK_TO = 0x10000000;
    private static final int REPLY_BYTES = 24;
    private static final int SETUP_MS = 30_000;
    private static final int ANSWER_MS = 700;
    /** Offset in a Read Request's ULPDU; so are the next two. */
    private static final int SINK_STAG_AT = 18;
    private static final int SINK_TO_AT = 22;
    private static final int BYTES_AT = 30;
    /** Pause after the reply: kernel siw 6.1 does not notice data that arrives too early after its reply, and an emulated one is slow. */
    private static final long PAUSE_NS = 100_000_000;

    private final Socket socket = new Socket();
    private final DataInputStream in;

    /** Connects and sends the MPA request. */
    RawIwarp(String address, int port) {
        try {
            socket.connect(new InetSocketAddress(address, port));
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(SETUP_MS);
            in = new DataInputStream(socket.getInputStream());
            sendBytes(HexFormat.of().parseHex(REQUEST));
        } catch (IOException refused) {
            throw new UncheckedIOException(refused);
        }
    }

    /** Waits for the reply and the set-up of the connection. */
    void awaitReply() {
        try {
            in.readFully(new byte[REPLY_BYTES]);
            socket.setSoTimeout(ANSWER_MS);
        } catch (IOException gone) {
            throw new UncheckedIOException(gone);
        }
        LockSupport.parkNanos(PAUSE_NS);
    }

    /** Parameters of a received Read Request. */
    record Asked(int sinkStag, long sinkTo, int bytes) {
    }

    /** Waits for a Read Request. */
    Asked awaitReadRequest() {
        try {
            socket.setSoTimeout(SETUP_MS);
            ByteBuffer ulpdu = ByteBuffer.wrap(readUlpdu());
            socket.setSoTimeout(ANSWER_MS);
            return new Asked(ulpdu.getInt(SINK_STAG_AT), ulpdu.getLong(SINK_TO_AT), ulpdu.getInt(BYTES_AT));
        } catch (IOException gone) {
            throw new UncheckedIOException("no Read Request received", gone);
        }
    }

    private byte[] readUlpdu() throws IOException {
        byte[] ulpdu = new byte[in.readUnsignedShort()];
        in.readFully(ulpdu);
        in.readFully(new byte[padding(ulpdu.length) + 4]);
        return ulpdu;
    }

    /** Sends all frames in one write. */
    void send(List<byte[]> frames) {
        int length = frames.stream().mapToInt(each -> each.length).sum();
        ByteBuffer all = ByteBuffer.allocate(length);
        frames.forEach(all::put);
        sendBytes(all.array());
    }

    private void sendBytes(byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException gone) {
            throw new UncheckedIOException(gone);
        }
    }

    /**
     * Receives ULPDUs until the peer closes the connection, which adds null as the last element, or is silent. A silent peer is probed with
     * an empty WRITE: the kernel may not have noticed the first frame.
     */
    List<byte[]> answers() {
        List<byte[]> ulpdus = new ArrayList<>();
        boolean asked = false;
        while (true) {
            try {
                ulpdus.add(readUlpdu());
            } catch (SocketTimeoutException silent) {
                if (asked || !ulpdus.isEmpty()) {
                    return ulpdus;
                }
                asked = true;
                sendBytes(frame(write(0, 0, "")));
            } catch (IOException closed) {
                ulpdus.add(null);
                return ulpdus;
            }
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException closed) {
            // the socket is closed either way
        }
    }

    // ---- frames ----

    private static int padding(int ulpduLength) {
        return -(2 + ulpduLength) & 3;
    }

    static byte[] frame(String ulpdu) {
        return frame(ulpdu, (byte) 0);
    }

    /**
     * Builds a frame.
     *
     * @param pad value of the bytes between ULPDU and CRC
     */
    static byte[] frame(String ulpdu, byte pad) {
        byte[] bytes = HexFormat.of().parseHex(ulpdu);
        int crcAt = 2 + bytes.length + padding(bytes.length);
        ByteBuffer b = ByteBuffer.allocate(crcAt + 4).putShort(0, (short) bytes.length).put(2, bytes);
        Arrays.fill(b.array(), 2 + bytes.length, crcAt, pad);
        CRC32C crc = new CRC32C();
        crc.update(b.array(), 0, crcAt);
        return b.putInt(crcAt, Integer.reverseBytes((int) crc.getValue())).array();
    }

    static String untagged(boolean last, int opcode, int stag, int qn, int msn, int mo, String payload) {
        return String.format("%s4%x%08x%08x%08x%08x", last ? "41" : "01", opcode, stag, qn, msn, mo) + payload;
    }

    static String tagged(int opcode, int stag, long to, String payload) {
        return tagged(true, opcode, stag, to, payload);
    }

    static String tagged(boolean last, int opcode, int stag, long to, String payload) {
        return String.format("%s4%x%08x%016x", last ? "c1" : "81", opcode, stag, to) + payload;
    }

    static String send(int msn, String payload) {
        return untagged(true, 3, 0, 0, msn, 0, payload);
    }

    static String write(int stag, long to, String payload) {
        return tagged(0, stag, to, payload);
    }

    static String read(int msn, int sourceStag, long sourceTo, int bytes) {
        return untagged(true, 1, 0, 1, msn, 0,
            String.format("%08x%016x%08x%08x%016x", SINK_STAG, SINK_TO, bytes, sourceStag, sourceTo));
    }
}
