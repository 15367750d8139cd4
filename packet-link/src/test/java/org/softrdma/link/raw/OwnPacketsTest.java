// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.softrdma.device.Counters;
import org.softrdma.link.Path;
import org.softrdma.link.TransmitBatch;
import org.softrdma.verbs.Gid;

/** Packets hold their number in four bytes. */
class OwnPacketsTest {
    private static final Gid LOCAL = Gid.ofIpv4(0x0a63_0001);

    private final Counters<RawCounter> counters = new Counters<>(RawCounter.class);
    private final OwnPackets own = new OwnPackets(counters);
    private final TransmitBatch batch = new TransmitBatch(1, 64);

    private void add(int number) {
        batch.buffer().putInt(batch.begin(new Path(LOCAL, LOCAL, 4791, 4791, 0, 64, null)), number);
        batch.commit(Integer.BYTES);
        own.add(batch, 0);
        batch.sent(1);
    }

    @Test
    void shouldDeliverInOrderAndCountWhatFindsNoRoom() {
        for (int number = 0; number < OwnPackets.CAPACITY; number++) {
            add(number);
        }
        assertEquals(0, counters.toMap().get("unsent_own_queue_full"));
        add(-1);
        assertEquals(1, counters.toMap().get("unsent_own_queue_full"));
        List<Integer> delivered = new ArrayList<>();
        assertEquals(10, own.poll(frame -> delivered.add(frame.buffer().getInt(frame.offset())), 10));
        add(OwnPackets.CAPACITY);
        own.poll(frame -> delivered.add(frame.buffer().getInt(frame.offset())), Integer.MAX_VALUE);
        assertEquals(IntStream.rangeClosed(0, OwnPackets.CAPACITY).boxed().toList(), delivered);
        assertTrue(own.isEmpty());
        assertEquals(1, counters.toMap().get("unsent_own_queue_full"));
    }
}
