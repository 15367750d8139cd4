// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket.stream;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Arbitrary bytes as connection data, as messages and as the target list, which the peer may write at any time. Nothing is read or written
 * outside this end's rings, no more is sent than the peer permits, and every failure names its cause. Inside {@code mvn verify} the test
 * replays its seeds (regression mode); wire-formats' {@code WireFuzzTest} describes how to search.
 */
class StreamFuzzTest {
    private static final int RING = 8192;
    private static final int TRANSFERS = 12;
    private static final int CONTROLS = 4;

    @FuzzTest(maxDuration = "5m")
    void shouldSurviveAnyPeer(byte[] bytes) {
        for (Signalling signalling : Signalling.values()) {
            new Victim(signalling, ByteBuffer.wrap(bytes)).run();
        }
    }

    private static final class Victim implements StreamPort {
        private final ByteBuffer input;
        private final ByteBuffer sendRing = ByteBuffer.allocate(RING);
        private final ByteBuffer receiveRing = ByteBuffer.allocate(RING);
        private final ByteBuffer targets = ByteBuffer.allocate(TargetList.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        private final StreamMachine machine;
        private final int requests;
        private long granted = RING / 2;
        private long read;
        private int transfers;
        private int controls;

        Victim(Signalling signalling, ByteBuffer input) {
            this.input = input;
            requests = signalling.requests();
            machine = new StreamMachine(this, new StreamSettings(signalling, TRANSFERS, CONTROLS, 16, 0), sendRing, receiveRing, targets);
        }

        void run() {
            byte[] said = new byte[Math.min(input.remaining(), ConnectionData.BYTES)];
            input.get(said);
            try {
                machine.begin(ConnectionData.parse(said), 0);
                while (input.remaining() > Integer.BYTES) {
                    move();
                    machine.transmit();
                    check(granted - read <= RING, "granted what was not read");
                }
            } catch (StreamException named) {
                check(named.violation() != null || !machine.isConnected(), "ended without a reason: " + named);
            }
        }

        private void move() throws StreamException {
            switch (input.get() & 7) {
                case 0, 1 -> machine.onMessage(input.getInt());
                // More likely to be valid.
                case 2 -> machine.onMessage(Message.of(Message.DATA, input.get() & 0xff));
                case 3 -> machine.onMessage(Message.of(Message.CREDITS, input.getShort() & 0xffff));
                case 4 -> {
                    int at = input.get() & 31;
                    targets.put(at, input.get());
                }
                case 5 -> machine.write(ByteBuffer.allocate(input.getShort() & 0x3fff));
                case 6 -> read += Math.max(0, machine.read(ByteBuffer.allocate(input.getShort() & 0x3fff)));
                default -> complete();
            }
        }

        private void complete() {
            if (transfers > 0) {
                transfers--;
                machine.onSent(0);
            }
            if (controls > 0) {
                controls--;
                machine.onSent(Message.of(Message.CREDITS, 0));
            }
        }

        @Override
        public void write(int offset, int length, long address, int key, int message) {
            check(offset >= 0 && offset < RING && length > 0 && length <= RING, "outside the ring: " + offset + "+" + length);
            transfers += requests;
            check(transfers <= TRANSFERS, "too many transfers");
        }

        @Override
        public void grant(int offset, int length, long address, int key, int message) {
            check(length == RING / 2 && (offset == 0 || offset == length), "no half: " + offset + "+" + length);
            granted += length;
            control(requests);
        }

        @Override
        public void send(int message) {
            control(1);
        }

        @Override
        public void keepAlive() {
            control(1);
        }

        private void control(int count) {
            controls += count;
            check(controls <= CONTROLS, "too many control messages");
        }

        private static void check(boolean holds, String otherwise) {
            if (!holds) {
                throw new AssertionError(otherwise);
            }
        }
    }
}
