// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.softrdma.rsocket.stream.SimulatedStream.End;
import org.softrdma.rsocket.stream.SimulatedStream.Shape;

/** Two ends that write, read and pause as a seed decides: all bytes arrive in order, and both ends finish. */
class StreamSimulationTest {
    private static final int LONGEST = 300_000;
    private static final int MAX_STEPS = 2_000_000;

    @Property(tries = 300)
    void shouldDeliverEverythingWithImmediateData(@ForAll long seed) throws StreamException {
        run(seed, Signalling.IMMEDIATE);
    }

    @Property(tries = 300)
    void shouldDeliverEverythingWithSends(@ForAll long seed) throws StreamException {
        run(seed, Signalling.SEND);
    }

    private static void run(long seed, Signalling signalling) throws StreamException {
        SplittableRandom random = new SplittableRandom(seed);
        SimulatedStream stream = new SimulatedStream(seed, signalling, shape(random), shape(random));
        Program a = new Program(stream.a, random.split(), random.nextInt(LONGEST));
        Program b = new Program(stream.b, random.split(), random.nextInt(LONGEST));
        a.expects = b.length;
        b.expects = a.length;
        int steps = 0;
        boolean moved = true;
        while (moved) {
            boolean programs = a.run() | b.run();
            moved = stream.step() || programs || !a.isDone() && a.isEager() || !b.isDone() && b.isEager();
            assertTrue(++steps < MAX_STEPS, "no end");
        }
        assertEquals(b.length, a.read, "bytes from b");
        assertEquals(a.length, b.read, "bytes from a");
        assertFalse(stream.a.machine.hasFailed() || stream.b.machine.hasFailed());
        assertFalse(stream.a.machine.isConnected() || stream.b.machine.isConnected(), "both ends have disconnected");
    }

    private static Shape shape(SplittableRandom random) {
        return new Shape(4096 + random.nextInt(10_000), 2 * (64 + random.nextInt(8000)), 2 + random.nextInt(20), 16 + random.nextInt(40),
            random.nextBoolean() ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN, 2);
    }

    /** Program that writes its bytes, shuts down, and reads the other end's bytes. Byte n is a function of n. */
    private static final class Program {
        private final End end;
        private final SplittableRandom random;
        private final long length;
        private long expects;
        private long written;
        private long read;
        private boolean shut;
        private boolean ended;

        Program(End end, SplittableRandom random, long length) {
            this.end = end;
            this.random = random;
            this.length = length;
        }

        boolean isDone() {
            return shut && ended;
        }

        /** @return whether the program can continue without a further event */
        boolean isEager() {
            return end.machine.isReadable() && !ended || end.machine.isWritable() && !shut;
        }

        /**
         * Takes one turn, in which the program may also do nothing.
         *
         * @return whether any bytes were moved
         */
        boolean run() throws StreamException {
            boolean moved = false;
            if (!shut && random.nextInt(3) > 0) {
                moved = write() > 0;
            }
            if (!ended && random.nextInt(3) > 0) {
                moved |= read() != 0;
            }
            return moved;
        }

        private int write() throws StreamException {
            int wanted = 1 + random.nextInt(random.nextBoolean() ? 100 : 40_000);
            ByteBuffer from = ByteBuffer.allocate((int) Math.min(length - written, wanted));
            for (int i = 0; i < from.capacity(); i++) {
                from.put(i, value(written + i));
            }
            int bytes = from.hasRemaining() ? end.write(from) : 0;
            written += bytes;
            if (written == length) {
                end.machine.shutdownOutput();
                end.machine.transmit();
                shut = true;
                return 1;
            }
            return bytes;
        }

        private int read() throws StreamException {
            ByteBuffer into = ByteBuffer.allocate(1 + random.nextInt(random.nextBoolean() ? 100 : 20_000));
            int bytes = end.read(into);
            for (int i = 0; i < bytes; i++) {
                if (into.get(i) != value(read + i)) {
                    throw new AssertionError("byte " + (read + i) + " is wrong");
                }
            }
            if (bytes < 0) {
                assertEquals(expects, read, "the end comes behind the last byte");
                ended = true;
            }
            read += Math.max(0, bytes);
            return bytes;
        }

        private static byte value(long position) {
            return (byte) (position * 31 ^ position >> 8 ^ position >> 16);
        }
    }
}
