// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.sim;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.agent.DeviceWork;
import org.softrdma.siw.mpa.StreamBuffer;
import org.softrdma.siw.mpa.StreamSink;
import org.softrdma.siw.tcp.ByteStream;

/**
 * A TCP connection on virtual time: bytes arrive in order and once, in pieces of any size and at any time, through a window of limited
 * size. The connection can break: then each end keeps the bytes that had arrived and receives the end of the stream. It can also stop at
 * a given byte, or damage one byte.
 */
public final class SimulatedTcp implements DeviceWork {
    /**
     * Transport properties of a connection.
     *
     * @param window           maximum number of bytes in flight
     * @param largestPiece     maximum number of bytes that arrive together
     * @param stallProbability probability that a piece is delayed by up to {@code stallNs}
     */
    public record Profile(int window, int largestPiece, long latencyNs, double stallProbability, long stallNs) {
        public static final Profile PLAIN = new Profile(1 << 20, 1 << 16, 1_000, 0, 0);
    }

    /** Failure of a connection after one end has sent a given number of bytes. */
    public enum Stop {
        /** The connection breaks. */
        RESET,
        /** The sending end closes its side; the other end receives the end of the stream. */
        END,
        /** All further bytes of the sending end are lost without any report. */
        SILENCE
    }

    private final RandomGenerator random;
    private final LongSupplier clock;
    private Profile profile;
    private final Direction leftToRight = new Direction();
    private final Direction rightToLeft = new Direction();
    private final End left = new End(leftToRight, rightToLeft);
    private final End right = new End(rightToLeft, leftToRight);
    private long breaksAtNs = Deadline.NEVER;
    private Observer observer = (fromLeft, bytes) -> { };

    /** Observer of the bytes of both directions. */
    public interface Observer {
        /** Bytes were sent. */
        void onPiece(boolean fromLeft, byte[] bytes);

        /** Bytes that had arrived were handed to the receiving device. */
        default void onTaken(boolean fromLeft, int count) {
        }
    }

    public SimulatedTcp(RandomGenerator random, LongSupplier clock, Profile profile) {
        this.random = random;
        this.clock = clock;
        this.profile = profile;
    }

    /** Returns the end that {@code fromLeft} means. */
    public ByteStream left() {
        return left;
    }

    public ByteStream right() {
        return right;
    }

    /** Virtual time. */
    public long nowNs() {
        return clock.getAsLong();
    }

    /** Replaces the observer. */
    public void observe(Observer by) {
        observer = by;
    }

    /** Breaks the connection at a given time. */
    public void breakAt(long ns) {
        breaksAtNs = ns;
    }

    /**
     * Ends a direction after a given number of bytes.
     *
     * @param fromLeft true for bytes sent by the left end
     * @param bytes    number of bytes that still arrive
     */
    public void stopAfter(boolean fromLeft, int bytes, Stop how) {
        Direction direction = fromLeft ? leftToRight : rightToLeft;
        direction.stopAt = bytes;
        direction.stop = how;
        if (bytes == 0) {
            direction.stopIfDue();
        }
    }

    /**
     * Damages one byte in flight.
     *
     * @param at         position of the byte in its direction
     * @param difference exclusive-ored to the byte, 1 to 255
     */
    public void damage(boolean fromLeft, int at, int difference) {
        Direction direction = fromLeft ? leftToRight : rightToLeft;
        direction.damagedAt = at;
        direction.difference = difference;
    }

    /** Changes the properties of the connection, for bytes that are sent from now on. */
    public void change(Profile changed) {
        profile = changed;
    }

    /**
     * Holds the bytes that one end sends until a time, or, with an earlier one, ends that.
     *
     * @param fromLeft true for bytes sent by the left end
     */
    public void holdUntil(boolean fromLeft, long untilNs) {
        (fromLeft ? leftToRight : rightToLeft).heldUntilNs = untilNs;
    }

    /** Whether neither end uses the connection any more. */
    public boolean isOver() {
        return left.dead && right.dead;
    }

    private void breakNow() {
        leftToRight.cut();
        rightToLeft.cut();
        left.ready();
        right.ready();
    }

    @Override
    public int doWork(long nowNs) {
        int done = leftToRight.arrive(nowNs, right) + rightToLeft.arrive(nowNs, left);
        if (Deadline.isDue(breaksAtNs, nowNs)) {
            breaksAtNs = Deadline.NEVER;
            breakNow();
            done++;
        }
        return done;
    }

    @Override
    public long deadlineNs() {
        return Deadline.earlier(breaksAtNs, Deadline.earlier(leftToRight.nextNs(), rightToLeft.nextNs()));
    }

    @Override
    public void await(long timeoutNs) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void wakeup() {
        throw new UnsupportedOperationException();
    }

    private record Piece(byte[] bytes, long atNs, boolean end, boolean breaks) {
    }

    private final class Direction {
        private final ArrayDeque<Piece> flying = new ArrayDeque<>();
        private final ArrayDeque<Piece> arrived = new ArrayDeque<>();
        private int inWindow;
        /** When the last piece arrives, if there was one. */
        private long lastNs;
        private boolean flown;
        private boolean ended;
        private boolean senderWaits;
        private long heldUntilNs = Deadline.NEVER;
        private int sent;
        private int stopAt = Integer.MAX_VALUE;
        private Stop stop;
        private boolean silent;
        private int damagedAt = -1;
        private int difference;

        void send(byte[] bytes, boolean end) {
            if (silent) {
                inWindow += bytes.length;
                return;
            }
            if (damagedAt >= sent && damagedAt < sent + bytes.length) {
                bytes[damagedAt - sent] ^= (byte) difference;
            }
            int arriving = Math.min(bytes.length, stopAt - sent);
            sent += arriving;
            fly(arriving < bytes.length ? Arrays.copyOf(bytes, arriving) : bytes, end && arriving == bytes.length, false);
            stopIfDue();
        }

        void stopIfDue() {
            if (sent < stopAt || ended || silent) {
                return;
            }
            switch (stop) {
                case RESET -> fly(new byte[0], false, true);
                case END -> {
                    ended = true;
                    fly(new byte[0], true, false);
                }
                case SILENCE -> silent = true;
            }
        }

        private void fly(byte[] bytes, boolean end, boolean breaks) {
            long delay = 1 + (long) (random.nextDouble() * profile.latencyNs())
                + (random.nextDouble() < profile.stallProbability() ? (long) (random.nextDouble() * profile.stallNs()) : 0);
            long soonestNs = clock.getAsLong() + delay;
            if (heldUntilNs != Deadline.NEVER && Deadline.isBefore(soonestNs, heldUntilNs)) {
                soonestNs = heldUntilNs;
            }
            lastNs = flown && Deadline.isBefore(soonestNs, lastNs) ? lastNs : soonestNs;
            flown = true;
            flying.add(new Piece(bytes, lastNs, end, breaks));
            inWindow += bytes.length;
        }

        int arrive(long nowNs, End to) {
            int count = 0;
            while (!flying.isEmpty() && Deadline.isDue(flying.peek().atNs, nowNs)) {
                Piece piece = flying.remove();
                count++;
                if (piece.breaks) {
                    breakNow();
                    return count;
                }
                arrived.add(piece);
            }
            if (count > 0) {
                to.ready();
            }
            return count;
        }

        long nextNs() {
            return flying.isEmpty() ? Deadline.NEVER : flying.peek().atNs;
        }

        /** Drops the bytes in flight; the bytes that have arrived are followed by the end. */
        void cut() {
            boolean endPending = !ended || flying.stream().anyMatch(Piece::end);
            flying.clear();
            if (endPending && !silent) {
                arrived.add(new Piece(new byte[0], 0, true, false));
            }
            ended = true;
        }
    }

    private final class End implements ByteStream {
        private final Direction out;
        private final Direction in;
        private Listener listener;
        private boolean dead;
        private boolean endSeen;

        End(Direction out, Direction in) {
            this.out = out;
            this.in = in;
        }

        void ready() {
            if (!dead && listener != null) {
                listener.ring();
            }
        }

        private End other() {
            return this == left ? right : left;
        }

        @Override
        public void listener(Listener to) {
            listener = to;
        }

        @Override
        public boolean poll(StreamSink sink) {
            boolean wanted = true;
            while (wanted && !dead && !endSeen && !in.arrived.isEmpty()) {
                Piece piece = in.arrived.remove();
                in.inWindow -= piece.bytes.length;
                if (in.senderWaits) {
                    in.senderWaits = false;
                    other().ready();
                }
                observer.onTaken(this == right, piece.bytes.length);
                int filled = fill(piece.bytes, sink);
                int left = piece.bytes.length - filled;
                if (left > 0) {
                    int skip = random.nextInt(8);
                    ByteBuffer b = ByteBuffer.allocateDirect(skip + left).put(skip, piece.bytes, filled, left);
                    wanted = sink.onBytes(b, MemorySegment.ofBuffer(b), skip, b.capacity());
                }
                if (piece.end) {
                    endSeen = true;
                    return true;
                }
            }
            return false;
        }

        /**
         * Copies bytes directly to their destination in some cases, as streams are free to do or not.
         *
         * @return number of bytes copied
         */
        private int fill(byte[] bytes, StreamSink sink) {
            int filled = Math.min(sink.pendingBytes(), bytes.length);
            if (filled == 0 || random.nextBoolean()) {
                return 0;
            }
            MemorySegment.copy(bytes, 0, sink.pendingBuffer(), ValueLayout.JAVA_BYTE, sink.pendingOffset(), filled);
            sink.onFilled(filled);
            return filled;
        }

        @Override
        public void send(StreamBuffer from) {
            if (dead || out.ended) {
                from.took(from.length());
                return;
            }
            while (!from.isEmpty()) {
                int length = Math.min(1 + random.nextInt(profile.largestPiece()), Math.min(from.length(), profile.window() - out.inWindow));
                if (length <= 0) {
                    out.senderWaits = true;
                    return;
                }
                byte[] bytes = new byte[length];
                from.bytes().get(from.start(), bytes);
                from.took(length);
                observer.onPiece(this == left, bytes);
                out.send(bytes, false);
            }
        }

        @Override
        public int emss() {
            return 1448;
        }

        @Override
        public void close() {
            if (!out.ended && !dead) {
                out.ended = true;
                out.send(new byte[0], true);
            }
        }

        @Override
        public void abort() {
            if (!dead) {
                dead = true;
                out.cut();
                other().ready();
            }
        }
    }
}
