// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.device.agent.Deadline;
import org.softrdma.link.fault.FaultyLink;
import org.softrdma.link.fault.LinkFaults;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;

final class DirectLinkTest {
    private static final Gid OWN = Gid.ofIpv4(0x0a000001);
    private static final Gid OWN_TOO = Gid.ofIpv4(0x0a000002);
    private static final Gid OTHER = Gid.ofIpv4(0x0a000003);

    private final Below below = new Below();
    private final DirectLink link = new DirectLink(below, System::nanoTime);
    private final TransmitBatch batch = new TransmitBatch(DirectLink.CAPACITY + 10, 64);
    private final List<String> received = new ArrayList<>();

    private void add(Gid from, Gid to, int content) {
        Path path = new Path(from, to, 0xc001, 4791, 7, 64, null);
        int at = batch.begin(path);
        batch.buffer().putInt(at, content);
        batch.commit(4);
    }

    private int poll(int limit) {
        return link.poll(frame -> received.add(new Gid(frame.remoteHigh(), frame.remoteLow()).ipv4() % 256 + ">"
            + frame.local().ipv4() % 256 + " " + frame.buffer().getInt(frame.offset()) + " " + frame.length() + " "
            + frame.sourcePort() + " " + frame.trafficClass()), limit);
    }

    @Test
    void shouldKeepPacketsToOwnAddressesAndPassOthersOn() {
        add(OWN, OWN_TOO, 1);
        add(OWN, OTHER, 2);
        add(OWN, OTHER, 3);
        add(OWN_TOO, OWN, 4);
        add(OWN, OTHER, 5);
        assertEquals(5, link.send(batch));
        assertTrue(batch.isEmpty());
        assertEquals(List.of("2", "3", "5"), below.sent);
        assertEquals(2, poll(10));
        assertEquals(List.of("1>2 1 4 49153 7", "2>1 4 4 49153 7"), received);
    }

    @Test
    void shouldLeaveWhatTheLinkBelowDoesNotTake() {
        below.room = 1;
        add(OWN, OTHER, 1);
        add(OWN, OTHER, 2);
        add(OWN, OWN_TOO, 3);
        assertEquals(1, link.send(batch));
        assertEquals(2, batch.end() - batch.first());
        below.room = 1;
        assertEquals(2, link.send(batch));
        assertEquals(List.of("1", "2"), below.sent);
        assertEquals(1, poll(10));
    }

    @Test
    void shouldLeaveWhatFindsNoRoom() {
        for (int i = 0; i < DirectLink.CAPACITY + 1; i++) {
            add(OWN, OWN_TOO, i);
        }
        assertEquals(DirectLink.CAPACITY, link.send(batch));
        assertEquals(0, link.send(batch));
        assertEquals(1, poll(1));
        assertEquals(1, link.send(batch));
        assertEquals(DirectLink.CAPACITY, poll(1000));
        assertEquals("1>2 " + DirectLink.CAPACITY + " 4 49153 7", received.getLast());
    }

    /** Lengths from one byte to the longest; what is read is compared with what was sent, byte by byte. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldKeepPacketsOfAllLengthsWhole(long seed) {
        Random random = new Random(seed);
        TransmitBatch longBatch = new TransmitBatch(1, ReceivedFrame.MAX_BYTES_IN_MEMORY);
        ArrayDeque<byte[]> sent = new ArrayDeque<>();
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            if (longBatch.isEmpty()) {
                byte[] packet = new byte[1 + random.nextInt(random.nextBoolean() ? ReceivedFrame.MAX_BYTES_IN_MEMORY : 200)];
                random.nextBytes(packet);
                longBatch.buffer().put(longBatch.begin(new Path(OWN, OWN_TOO, 0xc001, 4791, 7, 64, null)), packet);
                longBatch.commit(packet.length);
                sent.add(packet);
            }
            refused += 1 - link.send(longBatch);
            if (random.nextInt(4) == 0) {
                link.poll(frame -> assertSame(sent.poll(), frame), random.nextInt(8));
            }
        }
        while (link.poll(frame -> assertSame(sent.poll(), frame), 100) + link.send(longBatch) > 0) {
            assertTrue(refused > 0, "the ring was full now and then");
        }
        assertTrue(sent.isEmpty());
    }

    private static void assertSame(byte[] sent, ReceivedFrame frame) {
        byte[] received = new byte[frame.length()];
        frame.buffer().get(frame.offset(), received);
        assertArrayEquals(sent, received);
        // A receiver may overwrite the headroom.
        for (int i = 1; i <= TransmitBatch.HEADROOM; i++) {
            frame.buffer().put(frame.offset() - i, (byte) 0x55);
        }
    }

    @Test
    void shouldAllowLongPacketsBetweenOwnAddressesOnly() {
        assertEquals(65_536, link.payloadInMemory(new Path(OWN, OWN_TOO, 0xc001, 4791, 0, 64, null)));
        assertEquals(0, link.payloadInMemory(new Path(OWN, OTHER, 0xc001, 4791, 0, 64, null)));
    }

    @Test
    void shouldNotWaitWhileAPacketIsThere() {
        assertEquals(Deadline.NEVER, link.deadlineNs());
        add(OWN, OWN, 1);
        link.send(batch);
        link.await(1_000_000_000);
        assertEquals(0, below.waits);
        assertTrue(Deadline.isDue(link.deadlineNs(), System.nanoTime()));
        poll(1);
        link.await(1);
        assertEquals(1, below.waits);
        assertEquals(Deadline.NEVER, link.deadlineNs());
    }

    /** Without faults, captures or a wire nobody looks at an ICRC; a packet from the batch keeps what it was sent with. */
    @Test
    void shouldSayWhichPacketsHaveNoIcrc() {
        Path here = new Path(OWN, OWN_TOO, 0xc001, 4791, 0, 64, null);
        assertFalse(link.needsIcrc(here));
        assertTrue(link.needsIcrc(new Path(OWN, OTHER, 0xc001, 4791, 0, 64, null)));
        assertTrue(new FaultyLink(link, LinkFaults.parse("drop=1%"), System::nanoTime).needsIcrc(here));
        assertFalse(new FaultyLink(link, LinkFaults.NONE, System::nanoTime).needsIcrc(here));
        batch.begin(here);
        batch.commit(4, false);
        batch.begin(here);
        batch.commit(4);
        link.send(batch);
        List<Boolean> without = new ArrayList<>();
        link.poll(frame -> without.add(frame.isWithoutIcrc()), 2);
        assertEquals(List.of(true, false), without);
    }

    @Test
    void shouldFollowChangedAddresses() {
        below.addresses = List.of(OWN);
        add(OWN, OWN_TOO, 1);
        link.send(batch);
        assertEquals(List.of("1"), below.sent);
        assertFalse(link.has(GidType.ROCE_V2, OWN_TOO));
    }

    /** A link that takes as many packets as it has room for. */
    private static final class Below implements Link {
        private final List<String> sent = new ArrayList<>();
        private List<Gid> addresses = List.of(OWN, OWN_TOO);
        private int room = Integer.MAX_VALUE;
        private int waits;

        @Override
        public List<Gid> addresses() {
            return addresses;
        }

        @Override
        public boolean deliversIpHeader() {
            return false;
        }

        @Override
        public String description() {
            return "below";
        }

        @Override
        public Path resolve(PathRequest request) {
            throw new AssertionError();
        }

        @Override
        public void join(Gid group) {
        }

        @Override
        public void leave(Gid group) {
        }

        @Override
        public int send(TransmitBatch from) {
            int count = Math.min(room, from.end() - from.first());
            room -= count;
            for (int i = from.first(); i < from.first() + count; i++) {
                sent.add(Integer.toString(from.buffer().getInt(from.offset(i))));
            }
            from.sent(count);
            return count;
        }

        @Override
        public int poll(FrameHandler handler, int limit) {
            return 0;
        }

        @Override
        public void await(long timeoutNs) {
            waits++;
        }

        @Override
        public void wakeup() {
        }

        @Override
        public long sendErrors() {
            return 0;
        }

        @Override
        public void close() {
        }
    }
}
