// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * Two machines and a reliable connection between them, on virtual time: work requests reach the peer in order and after a delay, and
 * complete after another delay. An independent oracle checks that WRITEs stay in memory that was granted and has been read, and that
 * neither the work requests nor the receives run out.
 */
final class SimulatedStream {
    /** Work requests for messages that take no credit and rely on retries when there is no receive. */
    private static final int CONTROLS = 4;

    /** Sizes of one end. */
    record Shape(int sendRing, int receiveRing, int transfers, int receives, ByteOrder order, int listEntries) {
    }

    private record Event(long atNs, long number, Runnable what) {
    }

    final End a;
    final End b;
    private final SplittableRandom random;
    private final Signalling signalling;
    private final PriorityQueue<Event> events = new PriorityQueue<>(
        (x, y) -> x.atNs != y.atNs ? Long.compare(x.atNs, y.atNs) : Long.compare(x.number, y.number));
    private long nowNs;
    private long numbers;

    SimulatedStream(long seed, Signalling signalling, Shape shapeA, Shape shapeB) {
        random = new SplittableRandom(seed);
        this.signalling = signalling;
        a = new End("a", shapeA, 0x10_0000_0000L);
        b = new End("b", shapeB, 0x20_0000_0000L);
        a.peer = b;
        b.peer = a;
        a.machine.begin(b.describe(), 0);
        b.machine.begin(a.describe(), 0);
        a.machine.transmit();
        b.machine.transmit();
    }

    long nowNs() {
        return nowNs;
    }

    /**
     * Runs the next event.
     *
     * @return false if there is none
     */
    boolean step() {
        Event next = events.poll();
        if (next == null) {
            return false;
        }
        nowNs = next.atNs;
        next.what.run();
        a.machine.transmit();
        b.machine.transmit();
        return true;
    }

    private void at(long timeNs, Runnable what) {
        events.add(new Event(timeNs, numbers++, what));
    }

    /** One end: its machine, its memory, and its side of the connection. */
    final class End implements StreamPort {
        final StreamMachine machine;
        private final String name;
        private final Shape shape;
        private final ByteBuffer sendRing;
        private final ByteBuffer receiveRing;
        private final ByteBuffer list;
        private final long receiveAddress;
        private final long listAddress;
        private final int receiveKey;
        private final int listKey;
        private End peer;
        private long lastArrivalNs;
        private long lastCompletionNs;
        private int underWay;
        /** Bytes since the start whose grant was posted by this end. */
        private long posted;
        /** Bytes since the start whose grant has reached the peer. */
        private long granted;
        /** Bytes since the start that the peer has written. */
        private long written;
        /** Bytes since the start that this end's program has read. */
        private long read;

        private End(String name, Shape shape, long base) {
            this.name = name;
            this.shape = shape;
            sendRing = ByteBuffer.allocate(shape.sendRing);
            receiveRing = ByteBuffer.allocate(shape.receiveRing);
            list = ByteBuffer.allocate(TargetList.BYTES).order(shape.order);
            receiveAddress = base + 64 * random.nextInt(1000);
            listAddress = base + 0x8_0000_0000L + 16 * random.nextInt(1000);
            receiveKey = random.nextInt();
            listKey = random.nextInt();
            posted = shape.receiveRing / 2;
            granted = posted;
            machine = new StreamMachine(this, new StreamSettings(signalling, shape.transfers, CONTROLS, shape.receives, 0), sendRing,
                receiveRing, list);
        }

        private ConnectionData describe() {
            return new ConnectionData(shape.order, shape.receives, new RemoteBuffer(listAddress, listKey, shape.listEntries),
                new RemoteBuffer(receiveAddress, receiveKey, shape.receiveRing / 2));
        }

        /** @return the result of {@link StreamMachine#read} */
        int read(ByteBuffer into) throws StreamException {
            int bytes = machine.read(into);
            read += Math.max(0, bytes);
            machine.transmit();
            return bytes;
        }

        int write(ByteBuffer from) throws StreamException {
            int bytes = machine.write(from);
            machine.transmit();
            return bytes;
        }

        private long delayNs() {
            return random.nextInt(10) == 0 ? random.nextLong(100_000) : random.nextLong(2_000);
        }

        /** Delivers to the peer, and completes, after everything posted before. */
        private void post(Runnable arrival, int message) {
            underWay++;
            assertTrue(underWay <= shape.transfers + CONTROLS, () -> name + " posts more work requests than there are: " + underWay);
            lastArrivalNs = Math.max(lastArrivalNs, nowNs + delayNs());
            at(lastArrivalNs, arrival);
            lastCompletionNs = Math.max(lastCompletionNs, lastArrivalNs + delayNs());
            at(lastCompletionNs, () -> {
                underWay--;
                machine.onSent(message);
            });
        }

        private void postWithMessage(Runnable placement, int message) {
            if (signalling == Signalling.IMMEDIATE) {
                post(() -> {
                    placement.run();
                    peer.machine.onMessage(message);
                }, message);
            } else {
                post(placement, message);
                post(() -> peer.machine.onMessage(message), Message.of(Message.kind(message), 0));
            }
        }

        @Override
        public void write(int offset, int length, long address, int key, int message) {
            assertEquals(Message.of(Message.DATA, length), message);
            postWithMessage(() -> place(offset, length, address, key), message);
        }

        /** Copies as an adapter does: the memory is read when the request is executed, not when it is posted. */
        private void place(int offset, int length, long address, int key) {
            assertEquals(peer.receiveKey, key);
            assertEquals(peer.receiveAddress + peer.written % peer.shape.receiveRing, address, "bytes follow each other");
            long at = address - peer.receiveAddress;
            assertTrue(at + length <= peer.shape.receiveRing, "a transfer ends with its target");
            peer.written += length;
            assertTrue(peer.written <= peer.granted, () -> name + " writes what was not granted");
            assertTrue(peer.written - peer.read <= peer.shape.receiveRing, () -> name + " overwrites what was not read");
            for (int i = 0; i < length; i++) {
                peer.receiveRing.put((int) at + i, sendRing.get((offset + i) % shape.sendRing));
            }
        }

        @Override
        public void grant(int offset, int length, long address, int key, int message) {
            assertEquals(peer.listKey, key);
            assertEquals(shape.receiveRing / 2, length);
            assertEquals(posted % shape.receiveRing, offset);
            posted += length;
            long entry = address - peer.listAddress;
            assertTrue(entry >= 0 && entry + 16 <= 16 * peer.shape.listEntries && entry % 16 == 0, "an entry of the list");
            postWithMessage(() -> {
                granted += length;
                // In the byte order that the peer announced.
                ByteBuffer list = peer.list;
                list.putLong((int) entry, receiveAddress + offset).putInt((int) entry + 8, receiveKey).putInt((int) entry + 12, length);
            }, message);
        }

        @Override
        public void send(int message) {
            post(() -> peer.machine.onMessage(message), message);
        }

        @Override
        public void keepAlive() {
            post(() -> {
            }, Message.of(Message.CONTROL, Message.KEEP_ALIVE));
        }
    }
}
