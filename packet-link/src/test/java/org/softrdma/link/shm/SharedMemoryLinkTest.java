// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.link.FrameHandler;
import org.softrdma.link.Link;
import org.softrdma.link.PathRequest;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.TransmitBatch;
import org.softrdma.link.fault.FaultyLink;
import org.softrdma.link.fault.LinkFaults;
import org.softrdma.verbs.Gid;

/** Links in one process, over a network in memory and a directory of the test. */
@Timeout(60)
class SharedMemoryLinkTest {
    private static final Gid ALICE = Gid.ofIpv4(0x0a000001);
    private static final Gid BOB = Gid.ofIpv4(0x0a000002);
    private static final Gid REMOTE = Gid.ofIpv4(0x0a000003);
    private static final long MS = 1_000_000;

    @TempDir
    Path parent;

    private final List<Link> opened = new ArrayList<>();
    private final Network network = new Network();
    private final TransmitBatch batch = new TransmitBatch(512, ReceivedFrame.MAX_PACKET_BYTES);
    private final List<Integer> received = new ArrayList<>();
    private long nowNs = 1;

    private SharedMemoryLink open(Gid address) throws IOException {
        SharedMemoryLink link = SharedMemoryLink.over(network.attach(address), directory(), () -> nowNs);
        opened.add(link);
        return link;
    }

    private SharedDirectory directory() {
        return new SharedDirectory(parent.resolve("shm"));
    }

    private Set<String> files() throws IOException {
        try (Stream<Path> all = Files.walk(parent)) {
            return all.filter(Files::isRegularFile).map(file -> file.getFileName().toString().replaceAll("^[^.]+", "")
                .replaceAll("[.][0-9a-f]{16}", "")).collect(Collectors.toSet());
        }
    }

    private Path file(String suffix) throws IOException {
        try (Stream<Path> all = Files.walk(parent)) {
            return all.filter(file -> file.toString().endsWith(suffix)).findFirst().orElseThrow();
        }
    }

    @AfterEach
    void close() {
        opened.forEach(Link::close);
    }

    private static org.softrdma.link.Path path(Link link, Gid from, Gid to) {
        return link.resolve(PathRequest.v2(from, to));
    }

    private void add(org.softrdma.link.Path path, int content, boolean sealed) {
        add(path, content, sealed, 16);
    }

    private void add(org.softrdma.link.Path path, int content, boolean sealed, int length) {
        int at = batch.begin(path);
        batch.buffer().putInt(at, content);
        batch.commit(length, sealed);
    }

    private int send(Link link, org.softrdma.link.Path path, int content) {
        add(path, content, link.needsIcrc(path));
        return link.send(batch);
    }

    private int poll(Link link) {
        return link.poll(frame -> received.add(frame.buffer().getInt(frame.offset())), 1000);
    }

    private static long count(Link link, ShmCounter counter) {
        return link.counters().get(counter.name().toLowerCase(Locale.ROOT));
    }

    /** Opens both, and has Bob read the ring of Alice's path. */
    private org.softrdma.link.Path join(Link alice, Link bob) {
        org.softrdma.link.Path path = path(alice, ALICE, BOB);
        poll(bob);
        assertFalse(alice.needsIcrc(path));
        return path;
    }

    @Test
    void shouldUseARingAsSoonAsItIsRead() throws IOException {
        Link alice = open(ALICE);
        Link bob = open(BOB);
        org.softrdma.link.Path path = path(alice, ALICE, BOB);
        assertTrue(alice.needsIcrc(path), "not read yet");
        send(alice, path, 1);
        assertEquals(1, network.packets, "by the link below");
        poll(bob);
        assertFalse(alice.needsIcrc(path));
        send(alice, path, 2);
        send(alice, path, 3);
        poll(bob);
        assertEquals(List.of(1, 2, 3), received);
        assertEquals(1, network.packets);
        assertEquals(List.of(2L, 2L, 1L, 1L), List.of(count(alice, ShmCounter.SHM_SENT), count(bob, ShmCounter.SHM_RECEIVED),
            count(alice, ShmCounter.SHM_RINGS_OPENED), count(bob, ShmCounter.SHM_WAKEUPS_RECEIVED)));
    }

    @Test
    void shouldPassOnWhatIsForOthers() throws IOException {
        Link alice = open(ALICE);
        Link bob = open(BOB);
        org.softrdma.link.Path near = join(alice, bob);
        org.softrdma.link.Path far = path(alice, ALICE, REMOTE);
        assertTrue(alice.needsIcrc(far));
        add(far, 1, true);
        add(near, 2, false);
        add(far, 3, true);
        add(far, 4, true);
        add(near, 5, true);
        assertEquals(5, alice.send(batch));
        poll(bob);
        assertEquals(List.of(2, 5), received);
        assertEquals(3, network.packets);
    }

    /** Packets in the socket when the ring begins were sent before. */
    @Test
    void shouldKeepOrderWhenARingBegins() throws IOException {
        Link alice = open(ALICE);
        Link bob = open(BOB);
        org.softrdma.link.Path path = path(alice, ALICE, BOB);
        bob.poll(frame -> { }, 1);
        assertFalse(alice.needsIcrc(path));
        for (int i = 0; i < 100; i++) {
            network.send(path, i);
        }
        for (int i = 100; i < 200; i++) {
            send(alice, path, i);
        }
        while (received.size() < 200) {
            poll(bob);
        }
        assertEquals(IntStream.range(0, 200).boxed().toList(), received);
    }

    @Test
    void shouldLeaveInTheBatchWhatFindsNoRoom() throws IOException {
        Link alice = open(ALICE);
        Link bob = open(BOB);
        org.softrdma.link.Path path = join(alice, bob);
        int fits = Ring.DATA_BYTES / 4096 - 1;
        for (int i = 0; i <= fits; i++) {
            add(path, i, false, 4088);
        }
        assertEquals(fits, alice.send(batch));
        assertEquals(0, alice.send(batch));
        poll(bob);
        assertEquals(1, alice.send(batch));
        poll(bob);
        assertEquals(fits + 1, received.size());
        assertEquals(fits, received.getLast());
    }

    /** A process that is stopped keeps its lock, but must not hold up packets to others for ever. */
    @Test
    void shouldDropWhatAPeerDoesNotReadForLong() throws IOException {
        Link alice = open(ALICE);
        Link bob = open(BOB);
        org.softrdma.link.Path path = join(alice, bob);
        int fits = Ring.DATA_BYTES / 4096 - 1;
        for (int i = 0; i < fits + 3; i++) {
            add(path, i, false, 4088);
        }
        assertEquals(fits, alice.send(batch));
        nowNs += 249 * MS;
        assertEquals(0, alice.send(batch));
        nowNs += MS;
        assertEquals(3, alice.send(batch));
        assertEquals(3, count(alice, ShmCounter.UNSENT_SHM_PEER_GONE));
        poll(bob);
        assertEquals(1, send(alice, path, 1000));
        poll(bob);
        assertEquals(1000, received.getLast());
    }

    @Test
    void shouldWakeAParkedPeer() throws Exception {
        Link alice = open(ALICE);
        Link bob = open(BOB);
        org.softrdma.link.Path path = join(alice, bob);
        Thread parked = Thread.ofPlatform().start(() -> bob.await(TimeUnit.MINUTES.toNanos(1)));
        while (network.end(BOB).waits == 0) {
            Thread.onSpinWait();
        }
        assertEquals(1, count(alice, ShmCounter.SHM_WAKEUPS_SENT), "the announcement");
        send(alice, path, 1);
        assertTrue(parked.join(Duration.ofSeconds(50)));
        assertEquals(2, count(alice, ShmCounter.SHM_WAKEUPS_SENT));
        send(alice, path, 2);
        assertEquals(2, count(alice, ShmCounter.SHM_WAKEUPS_SENT), "is awake");
        poll(bob);
        assertEquals(List.of(1, 2), received);
    }

    @Test
    void shouldNotParkWhileAPacketIsThere() throws IOException {
        Link alice = open(ALICE);
        Link bob = open(BOB);
        org.softrdma.link.Path path = join(alice, bob);
        send(alice, path, 1);
        bob.await(TimeUnit.MINUTES.toNanos(1));
        assertEquals(0, network.end(BOB).waits);
        poll(bob);
        bob.await(1);
        assertEquals(1, network.end(BOB).waits);
    }

    /** As long as packets come by the ring, the link below costs a call now and then only. */
    @Test
    void shouldRarelyPollTheLinkBelow() throws IOException {
        Link alice = open(ALICE);
        Link bob = open(BOB);
        org.softrdma.link.Path path = join(alice, bob);
        for (int i = 0; i < 100; i++) {
            poll(bob);
        }
        send(alice, path, 0);
        for (int i = 0; i < 96; i++) {
            poll(bob);
        }
        int before = network.end(BOB).polls;
        for (int i = 0; i < 3200; i++) {
            send(alice, path, i);
            poll(bob);
        }
        assertEquals(12, network.end(BOB).polls - before, "once for 512 polls and packets");
        network.send(path, -1);
        for (int i = 0; i < 32; i++) {
            poll(bob);
        }
        assertEquals(-1, received.getLast());
    }

    @Test
    void shouldNeedAnIcrcUnderFaults() throws IOException {
        Link alice = open(ALICE);
        Link bob = open(BOB);
        org.softrdma.link.Path path = join(alice, bob);
        assertTrue(new FaultyLink(alice, LinkFaults.parse("drop=1%"), () -> nowNs).needsIcrc(path));
        add(path, 1, false);
        add(path, 2, true);
        alice.send(batch);
        List<Boolean> without = new ArrayList<>();
        bob.poll(frame -> without.add(frame.isWithoutIcrc()), 10);
        assertEquals(List.of(true, false), without);
    }

    /** A packet without ICRC cannot take the link below when the ring is closed meanwhile. */
    @Test
    void shouldDropWhatWasMadeForARingThatIsClosed() throws IOException {
        Link alice = open(ALICE);
        Link bob = open(BOB);
        org.softrdma.link.Path path = join(alice, bob);
        add(path, 1, false);
        add(path, 2, true);
        bob.close();
        assertEquals(2, alice.send(batch));
        assertEquals(1, network.packets);
        assertEquals(1, count(alice, ShmCounter.UNSENT_SHM_PEER_GONE));
        assertEquals(Set.of(".inbox"), files());
    }

    @Test
    void shouldFindAPeerThatComesLaterOrBack() throws IOException {
        Link alice = open(ALICE);
        org.softrdma.link.Path path = path(alice, ALICE, BOB);
        Link bob = open(BOB);
        send(alice, path, 1);
        assertTrue(alice.needsIcrc(path), "looked a moment ago");
        nowNs += 100 * MS;
        send(alice, path, 2);
        poll(bob);
        assertFalse(alice.needsIcrc(path));
        bob.close();
        Link again = open(BOB);
        nowNs += 1000 * MS;
        send(alice, path, 3);
        poll(again);
        assertFalse(alice.needsIcrc(path));
        send(alice, path, 4);
        poll(again);
        assertEquals(List.of(1, 2, 3, 4), received);
    }

    @Test
    void shouldLeaveNothingBehind() throws IOException {
        Link alice = open(ALICE);
        Link bob = open(BOB);
        join(alice, bob);
        path(bob, BOB, ALICE);
        assertEquals(Set.of(".inbox", ".ring"), files());
        alice.close();
        nowNs += 10 * MS;
        poll(bob);
        bob.close();
        assertEquals(Set.of(), files());
        assertFalse(Files.exists(parent.resolve("shm")));
    }

    /** Notices of a closed ring end its reading; the peer takes the link below and makes no ring for the same inbox again. */
    @Test
    void shouldRefuseARingWithInvalidContents() throws IOException {
        Link alice = open(ALICE);
        Link bob = open(BOB);
        org.softrdma.link.Path path = join(alice, bob);
        try (RandomAccessFile ring = new RandomAccessFile(file(".ring").toFile(), "rw")) {
            MemorySegment memory = ring.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, Ring.FILE_BYTES, Arena.ofAuto());
            Ring.put(memory, Ring.DATA_AT, -1);
        }
        poll(bob);
        assertEquals(1, count(bob, ShmCounter.SHM_RING_BROKEN));
        assertTrue(alice.needsIcrc(path));
        send(alice, path, 1);
        nowNs += 100_000 * MS;
        send(alice, path, 2);
        poll(bob);
        assertEquals(List.of(1, 2), received);
        assertEquals(2, network.packets);
        assertEquals(Set.of(".inbox"), files());
    }

    /** A ring from a group is none; one without lock is that of a process that was killed. */
    @Test
    void shouldNotReadOtherFiles() throws IOException {
        Link bob = open(BOB);
        Path inbox = file(".inbox");
        HeldFile wrong = directory().createRing(inbox, Gid.ofIpv4(0xe0000001));
        Path left = Files.copy(wrong.path(), Path.of(wrong.path().toString().replace(".ring", "0.ring")));
        for (int i = 0; i < 3; i++) {
            network.send(path(network.attach(REMOTE), REMOTE, BOB), SharedMemoryLink.RINGS_CHANGED, SharedMemoryLink.NOTICE_BYTES);
            poll(bob);
            nowNs += 10 * MS;
        }
        assertEquals(2, count(bob, ShmCounter.SHM_RING_REFUSED));
        assertTrue(Files.exists(wrong.path()));
        assertFalse(Files.exists(left));
        wrong.close();
    }

    /** Any host can send notices: they cost a look now and then. */
    @Test
    void shouldNotBeKeptBusyByNotices() throws IOException {
        Link bob = open(BOB);
        org.softrdma.link.Path path = path(network.attach(REMOTE), REMOTE, BOB);
        for (int i = 0; i < 100; i++) {
            network.send(path, SharedMemoryLink.RINGS_CHANGED, SharedMemoryLink.NOTICE_BYTES);
            network.send(path, SharedMemoryLink.WAKE, SharedMemoryLink.NOTICE_BYTES);
        }
        network.send(path, 5, SharedMemoryLink.NOTICE_BYTES);
        while (!network.end(BOB).arrived.isEmpty()) {
            poll(bob);
        }
        assertEquals(200, count(bob, ShmCounter.SHM_WAKEUPS_RECEIVED));
        assertEquals(List.of(5), received, "not a notice");
        network.send(path, SharedMemoryLink.RINGS_CHANGED, SharedMemoryLink.NOTICE_BYTES);
        poll(bob);
        assertEquals(nowNs + 10 * MS, bob.deadlineNs());
    }

    /** Links whose packets wait in memory until they are polled. */
    private static final class Network {
        private final Map<Gid, End> ends = new HashMap<>();
        /** Packets sent that are no notices. */
        private int packets;

        private End attach(Gid address) {
            End end = new End(this, address);
            ends.put(address, end);
            return end;
        }

        private End end(Gid address) {
            return ends.get(address);
        }

        private void send(org.softrdma.link.Path path, int content) {
            send(path, content, 16);
        }

        private void send(org.softrdma.link.Path path, int content, int length) {
            packets += length == SharedMemoryLink.NOTICE_BYTES ? 0 : 1;
            End to = ends.get(path.remote());
            if (to != null) {
                synchronized (to) {
                    to.arrived.add(new Packet(path, content, length));
                    to.notifyAll();
                }
            }
        }
    }

    private record Packet(org.softrdma.link.Path path, int content, int length) {
    }

    /** One end of the network. */
    private static final class End implements Link {
        private final Network network;
        private final Gid address;
        private final Queue<Packet> arrived = new ArrayDeque<>();
        private final ReceivedFrame frame = new ReceivedFrame();
        private final ByteBuffer slot = ByteBuffer.allocateDirect(TransmitBatch.HEADROOM + 16);
        private volatile int waits;
        private int polls;

        private End(Network network, Gid address) {
            this.network = network;
            this.address = address;
        }

        @Override
        public List<Gid> addresses() {
            return List.of(address);
        }

        @Override
        public boolean deliversIpHeader() {
            return false;
        }

        @Override
        public String description() {
            return "network";
        }

        @Override
        public org.softrdma.link.Path resolve(PathRequest request) {
            return new org.softrdma.link.Path(request.local(), request.remote(), 4791, 4791, 0, 64, null);
        }

        @Override
        public void join(Gid group) {
        }

        @Override
        public void leave(Gid group) {
        }

        @Override
        public int send(TransmitBatch from) {
            int count = from.end() - from.first();
            for (int i = from.first(); i < from.end(); i++) {
                assertFalse(from.isUnsealed(i));
                network.send(from.path(i), from.buffer().getInt(from.offset(i)), from.length(i));
            }
            from.sent(count);
            return count;
        }

        @Override
        public synchronized int poll(FrameHandler handler, int limit) {
            polls++;
            int count = 0;
            while (count < limit && !arrived.isEmpty()) {
                Packet packet = arrived.remove();
                slot.putInt(TransmitBatch.HEADROOM, packet.content);
                handler.onFrame(frame.begin(slot, TransmitBatch.HEADROOM, packet.length).sentBy(packet.path));
                count++;
            }
            return count;
        }

        @Override
        public synchronized void await(long timeoutNs) {
            waits++;
            try {
                if (arrived.isEmpty()) {
                    TimeUnit.NANOSECONDS.timedWait(this, timeoutNs);
                }
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
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
