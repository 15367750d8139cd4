// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.Mtu;

/**
 * Agreement with the other end. Every step is an exchange: the client sends, the server replies with the same kind of message. Errors are
 * in the original's words, and end the test.
 */
final class Peer implements AutoCloseable {
    private static final int VERSION_BYTES = 16;
    private static final int MTU_BYTES = 2;
    private static final double OLDEST = 5.70;
    private static final Pattern LEADING_NUMBER = Pattern.compile("\\s*([0-9]+(\\.[0-9]*)?)");
    private static final String EXCHANGE_FAILED = "Failed to exchange data between server and clients";

    private final ControlChannel channel;
    private final boolean speaksFirst;

    /**
     * Creates the peer's side of the exchanges.
     *
     * @param speaksFirst whether this end is the client
     */
    Peer(ControlChannel channel, boolean speaksFirst) {
        this.channel = channel;
        this.speaksFirst = speaksFirst;
    }

    /**
     * Exchanges versions.
     *
     * @throws ToolFailure also if the peer is too old for the further exchanges
     */
    void exchangeVersions() {
        byte[] own = Arrays.copyOf(CommandLine.VERSION.getBytes(StandardCharsets.US_ASCII), VERSION_BYTES);
        byte[] answer = swap(own, " " + EXCHANGE_FAILED);
        Matcher number = LEADING_NUMBER.matcher(new String(answer, StandardCharsets.ISO_8859_1));
        if (!number.lookingAt() || Double.parseDouble(number.group(1)) < OLDEST) {
            String said = new String(answer, StandardCharsets.ISO_8859_1).replaceAll("[^ -~]", "");
            throw new ToolFailure("Current implementation is not compatible with versions older than 5.70\nThe peer says it is '" + said
                + "'. Is it an ib_* program of perftest?");
        }
    }

    /**
     * Agrees on a property of the hosts: the larger of the two values.
     *
     * @param what name of the property, for the error
     */
    int largerOf(int own, String what) {
        byte[] answer = swap(ByteBuffer.allocate(Integer.BYTES).putInt(own).array(),
            " Failed to exchange " + what + " data between server and client");
        int theirs = ByteBuffer.wrap(answer).getInt();
        return Math.max(own, theirs);
    }

    /** Agrees on the smaller MTU; an invalid one of the peer's is ignored. */
    Mtu smallerOf(Mtu own) {
        byte[] digit = Arrays.copyOf(Integer.toString(own.value()).getBytes(StandardCharsets.US_ASCII), MTU_BYTES);
        byte[] answer = swap(digit, " " + EXCHANGE_FAILED);
        Mtu theirs = Mtu.of(Character.digit(answer[0], 10));
        return theirs != null && theirs.value() < own.value() ? theirs : own;
    }

    Keys exchangeKeys(Keys own) {
        byte[] answer;
        try {
            answer = swapOrThrow(channel.isText() ? own.toText() : own.toStructure(), "Couldn't send local address",
                "ethernet_read_keys: Couldn't read remote address");
        } catch (ToolFailure failure) {
            throw new ToolFailure(failure.getMessage() + "\n" + EXCHANGE_FAILED);
        }
        try {
            return channel.isText() ? Keys.ofText(answer) : Keys.ofStructure(answer);
        } catch (IllegalArgumentException garbled) {
            String shown = new String(answer, StandardCharsets.ISO_8859_1).replaceAll("[^ -~]", ".");
            throw new ToolFailure("Couldn't parse line <" + shown + ">: " + garbled.getMessage() + "\n Unable to read "
                + (speaksFirst ? "from" : "to") + " socket/rdma_cm\n" + EXCHANGE_FAILED + "\nDoes the same test run at both ends?");
        }
    }

    /** Synchronizes the ends, by an exchange of keys that both know already. */
    void meet(Keys own) {
        exchangeKeys(own);
    }

    /** Exchanges reports, number by number. */
    BandwidthReport exchangeReports(BandwidthReport own) {
        return new BandwidthReport(exchangeNumber(own.size()), exchangeNumber(own.iterations()), exchangeNumber(own.peak()),
            exchangeNumber(own.average()), exchangeNumber(own.rate()));
    }

    private long exchangeNumber(long own) {
        return ByteBuffer.wrap(swap(ByteBuffer.allocate(Long.BYTES).putLong(own).array(), " " + EXCHANGE_FAILED)).getLong();
    }

    private double exchangeNumber(double own) {
        return Double.longBitsToDouble(exchangeNumber(Double.doubleToRawLongBits(own)));
    }

    /** Makes the last exchange of a test. */
    void finish(Keys own) {
        try {
            meet(own);
            channel.writeDone();
        } catch (ToolFailure failure) {
            throw new ToolFailure(failure.getMessage() + "\nFailed to close connection between server and client");
        } catch (IOException failed) {
            throw new ToolFailure(" Client write: " + failed.getMessage() + "\nCouldn't write to socket\n"
                + "Failed to close connection between server and client");
        }
    }

    @Override
    public void close() {
        channel.close();
    }

    private byte[] swap(byte[] own, String complaint) {
        try {
            return swapOrThrow(own, "Couldn't send reports", "ethernet_read_data: Couldn't read reports");
        } catch (ToolFailure failure) {
            throw new ToolFailure(failure.getMessage() + "\n" + complaint);
        }
    }

    private byte[] swapOrThrow(byte[] own, String notSent, String notRead) {
        if (speaksFirst) {
            write(own, notSent, "to");
            return read(own.length, notRead, "from");
        }
        byte[] theirs = read(own.length, notRead, "to");
        write(own, notSent, "from");
        return theirs;
    }

    private void write(byte[] message, String complaint, String preposition) {
        try {
            channel.write(message);
        } catch (IOException failed) {
            throw new ToolFailure((channel.isText() ? "client write: " + failed.getMessage() + "\n" + complaint : failed.getMessage())
                + "\n Unable to write " + preposition + " socket/rdma_cm");
        }
    }

    private byte[] read(int bytes, String complaint, String preposition) {
        try {
            return channel.read(bytes);
        } catch (IOException failed) {
            throw new ToolFailure((channel.isText() ? complaint + "\n" : "") + failed.getMessage() + "\n Unable to read " + preposition
                + " socket/rdma_cm");
        }
    }
}
