// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.events;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.softrdma.device.qp.QueuePairObserver;
import org.softrdma.host.config.LinkOption;
import org.softrdma.recording.Track;

/**
 * The rings of a device: their size, clock and collector. For the device's owner.
 *
 * <p>Rings share the room of {@value #FULL_RINGS} full ones. With more queue pairs than that each has fewer slots, but not less than
 * {@value #FEWEST_SLOTS}: a thousand full rings are more than a processor's cache holds, and writing to them took a fifth of the time of
 * each message.
 */
public final class EventRings {
    /** Slots that each ring may have, whatever the others have. */
    static final int FEWEST_SLOTS = 16;
    /** Number of rings that may have all their slots at the same time. */
    static final int FULL_RINGS = 64;

    private final LongSupplier roundNs;
    private final PacketDecoder packets;
    private final Set<EventRing> all = new LinkedHashSet<>();
    private int slots = LinkOption.RECORD.usual();
    /** Number of slots of all rings. */
    private long granted;
    private String device = "";
    private EventCollector collector;

    /**
     * Creates the rings of a device; it has none yet.
     *
     * @param roundNs start of the current round of work, ns
     * @param packets rebuilds the device's packets
     */
    public EventRings(LongSupplier roundNs, PacketDecoder packets) {
        this.roundNs = roundNs;
        this.packets = packets;
    }

    /**
     * Sets the maximum number of slots of each ring, before the first is made.
     *
     * @param number a value of {@link LinkOption#RECORD}; 0 for no recording
     */
    public void slots(int number) {
        slots = number;
    }

    /** Sets the name of the device, before anything is recorded. */
    public void nameDevice(String name) {
        device = name;
    }

    /** Name of the device. */
    public String device() {
        return device;
    }

    /**
     * Grants a ring that is full a part of the device's room.
     *
     * @param size number of slots that it has, 0 at first
     * @return number of slots that it may have now; {@code size} if there is no room
     */
    int grant(int size) {
        int larger = size == 0 ? Math.min(FEWEST_SLOTS, slots) : Math.min(2 * size, slots);
        if (larger > FEWEST_SLOTS && granted + larger - size > (long) FULL_RINGS * slots) {
            return size;
        }
        granted += larger - size;
        return larger;
    }

    long nowNs() {
        return roundNs.getAsLong();
    }

    EventCollector collector() {
        return collector;
    }

    /** Rebuilds the device's packets. */
    public PacketDecoder packets() {
        return packets;
    }

    /**
     * Makes the observer of an end.
     *
     * @param head describes the end, whenever it is called with the owner's lock held
     */
    public QueuePairObserver add(Supplier<Track.Head> head) {
        if (slots == 0) {
            return QueuePairObserver.NONE;
        }
        EventRing ring = new EventRing(this, head);
        all.add(ring);
        return ring;
    }

    /** Drops the ring of an end that does not exist any more. */
    public void remove(QueuePairObserver ring) {
        if (all.remove(ring)) {
            granted -= ((EventRing) ring).size();
        }
    }

    /** Copies the rings of the ends that are there now. */
    public List<EventCopy> copy() {
        List<EventCopy> copies = new ArrayList<>();
        for (EventRing ring : all) {
            if (ring.written() > 0) {
                copies.add(new EventCopy(ring.head(), ring.oldest(), ring.copy()));
            }
        }
        return copies;
    }

    /**
     * Begins to collect all events; there is one collector at a time.
     *
     * @return false if there is one already
     */
    public boolean collectIn(EventCollector into) {
        boolean free = collector == null;
        collector = free ? into : collector;
        return free;
    }

    /** Ends a collection. */
    public void stopCollecting(EventCollector from) {
        collector = collector == from ? null : collector;
    }

    /** Bytes of memory that the slots of all rings take. */
    public long bytes() {
        return all.stream().mapToLong(EventRing::bytes).sum();
    }
}
