// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.softrdma.device.Counters;
import org.softrdma.link.Path;
import org.softrdma.link.TransmitBatch;
import org.softrdma.verbs.Gid;

/** Packets hold their number in four bytes; neighbours differ in their addresses only. */
class WaitingPacketsTest {
    private static final Gid LOCAL = Gid.ofIpv4(0x0a63_0001);

    private final Counters<RawCounter> counters = new Counters<>(RawCounter.class);
    private final WaitingPackets waiting = new WaitingPackets(counters);
    private final TransmitBatch batch = new TransmitBatch(1, 64);

    private static Neighbour neighbour(int host) {
        return new Neighbour(Gid.ofIpv4(0x0a63_0000 | host), RouteSocket.UNKNOWN);
    }

    private void add(Neighbour to, int number) {
        batch.buffer().putInt(batch.begin(new Path(LOCAL, to.address(), 4791, 4791, 0, 64, to)), number);
        batch.commit(Integer.BYTES);
        waiting.add(batch, 0, to);
        batch.sent(1);
    }

    private void add(Neighbour to, int first, int last) {
        for (int number = first; number <= last; number++) {
            add(to, number);
        }
    }

    /**
     * Sends the packets that are ready.
     *
     * @return numbers of those to that neighbour, in order
     */
    private List<Integer> leave(Neighbour to) {
        List<Integer> numbers = new ArrayList<>();
        TransmitBatch ready = waiting.releaseReady();
        while (!ready.isEmpty()) {
            if (ready.path(ready.first()).linkState() == to) {
                numbers.add(ready.buffer().getInt(ready.offset(ready.first())));
            }
            ready.sent(1);
            ready = ready.isEmpty() ? waiting.releaseReady() : ready;
        }
        return numbers;
    }

    private long lost(RawCounter counter) {
        return counters.get(counter);
    }

    @Test
    void shouldSendInOrderWhenTheNeighbourAnswers() {
        Neighbour first = neighbour(2);
        Neighbour second = neighbour(3);
        for (int number = 1; number <= 3; number++) {
            add(first, number);
            add(second, 10 * number);
        }
        assertEquals(List.of(), leave(second));
        second.setMac(0x0200_0000_0003L);
        assertEquals(List.of(10, 20, 30), leave(second));
        first.setMac(0x0200_0000_0002L);
        assertEquals(List.of(1, 2, 3), leave(first));
        assertTrue(waiting.isEmpty());
    }

    @Test
    void shouldLosePacketsToANeighbourThatDoesNotAnswer() {
        Neighbour dead = neighbour(2);
        Neighbour alive = neighbour(3);
        add(dead, 1, 3);
        add(alive, 4);
        dead.setMac(RouteSocket.UNREACHABLE);
        assertEquals(List.of(), leave(dead));
        assertEquals(3, lost(RawCounter.UNSENT_NEIGHBOUR_UNREACHABLE));
        alive.setMac(0x0200_0000_0003L);
        assertEquals(List.of(4), leave(alive));
        assertTrue(waiting.isEmpty());
    }

    @Test
    void shouldHaveRoomForOthersWhenOneNeighboursPacketsPileUp() {
        Neighbour dead = neighbour(2);
        Neighbour alive = neighbour(3);
        add(dead, 1, WaitingPackets.CAPACITY_OF_ONE);
        assertEquals(0, lost(RawCounter.UNSENT_NEIGHBOUR_QUEUE_FULL));
        add(dead, -1);
        assertEquals(1, lost(RawCounter.UNSENT_NEIGHBOUR_QUEUE_FULL));
        add(alive, 7);
        alive.setMac(0x0200_0000_0003L);
        assertEquals(List.of(7), leave(alive));
        dead.setMac(0x0200_0000_0002L);
        assertEquals(WaitingPackets.CAPACITY_OF_ONE, leave(dead).size(), "all but the last");
    }

    @Test
    void shouldBoundThePacketsOfAllNeighboursTogether() {
        List<Neighbour> neighbours = new ArrayList<>();
        for (int i = 0; i < WaitingPackets.CAPACITY / WaitingPackets.CAPACITY_OF_ONE; i++) {
            neighbours.add(neighbour(2 + i));
            add(neighbours.getLast(), 1, WaitingPackets.CAPACITY_OF_ONE);
        }
        assertEquals(0, lost(RawCounter.UNSENT_NEIGHBOUR_QUEUE_FULL));
        add(neighbour(200), 1);
        assertEquals(1, lost(RawCounter.UNSENT_NEIGHBOUR_QUEUE_FULL));
        neighbours.forEach(each -> each.setMac(0x0200_0000_0000L | each.address().ipv4() & 0xff));
        assertEquals(WaitingPackets.CAPACITY_OF_ONE, leave(neighbours.getFirst()).size());
        assertTrue(waiting.isEmpty());
        add(neighbour(201), 1);
        assertEquals(1, lost(RawCounter.UNSENT_NEIGHBOUR_QUEUE_FULL));
    }
}
