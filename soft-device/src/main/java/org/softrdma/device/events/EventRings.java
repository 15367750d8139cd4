// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.events;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.softrdma.device.qp.QueuePairObserver;
import org.softrdma.recording.Track;

/** The rings of a device: their size, clock and collector. For the device's owner. */
public final class EventRings {
    /** Slots of a ring unless something else is set: 12 KiB. */
    public static final int DEFAULT_SLOTS = 256;
    /** Maximum slots of a ring. */
    public static final int MAX_SLOTS = 1 << 16;

    private final LongSupplier roundNs;
    private final PacketDecoder packets;
    private final Set<EventRing> all = new LinkedHashSet<>();
    private int slots = DEFAULT_SLOTS;
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
     * Sets the number of slots of the rings that are made from now on.
     *
     * @param number a power of two up to {@link #MAX_SLOTS}; 0 for no recording
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

    int slots() {
        return slots;
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
        all.remove(ring);
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
