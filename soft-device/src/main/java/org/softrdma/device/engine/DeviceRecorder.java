// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.engine;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.softrdma.device.events.EventCollector;
import org.softrdma.device.events.EventCopy;
import org.softrdma.device.events.EventDecoder;
import org.softrdma.device.events.EventRings;
import org.softrdma.recording.EventCollection;
import org.softrdma.recording.FlightRecorder;
import org.softrdma.recording.Recording;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** The flight recorder of a running device: copies its rings with the owner's lock held, and decodes the copies without it. */
final class DeviceRecorder implements FlightRecorder {
    private static final int CLOCK_SAMPLES = 16;
    private static final long NS_PER_SECOND = 1_000_000_000;

    private final EventRings rings;
    private final ReentrantLock owner;
    private final boolean wallClock;

    /** @param wallClock the device's clock is {@link System#nanoTime}; otherwise a simulation's */
    DeviceRecorder(EventRings rings, ReentrantLock owner, boolean wallClock) {
        this.rings = rings;
        this.owner = owner;
        this.wallClock = wallClock;
    }

    @Override
    public Recording record(int qpNum) {
        List<EventCopy> copies = underOwner(rings::copy);
        return decode(copies.stream().filter(copy -> copy.head().concerns(qpNum)).toList());
    }

    @Override
    public EventCollection collect(int maxEvents) {
        EventCollector collector = new EventCollector(maxEvents);
        if (!underOwner(() -> rings.collectIn(collector))) {
            throw new VerbsException(Errno.EBUSY, "record", rings.device() + " is being recorded; close the other collection first");
        }
        return new EventCollection() {
            @Override
            public Recording recording() {
                return decode(underOwner(collector::copy));
            }

            @Override
            public void close() {
                underOwner(() -> {
                    rings.stopCollecting(collector);
                    return null;
                });
            }
        };
    }

    private <T> T underOwner(Supplier<T> action) {
        owner.lock();
        try {
            return action.get();
        } finally {
            owner.unlock();
        }
    }

    private Recording decode(List<EventCopy> copies) {
        long offsetNs = wallClock ? epochOffsetNs() : 0;
        return new Recording(wallClock ? Recording.Clock.WALL : Recording.Clock.VIRTUAL,
            copies.stream().map(copy -> EventDecoder.decode(copy, rings.packets(), offsetNs)).toList());
    }

    /**
     * Difference between the time since 1970 and {@link System#nanoTime}. The sample that was read fastest is the best one, so that times
     * of two processes of a host agree within about a microsecond.
     */
    private static long epochOffsetNs() {
        long offsetNs = 0;
        long shortestNs = Long.MAX_VALUE;
        for (int i = 0; i < CLOCK_SAMPLES; i++) {
            long beforeNs = System.nanoTime();
            Instant now = Instant.now();
            long tookNs = System.nanoTime() - beforeNs;
            if (tookNs < shortestNs) {
                shortestNs = tookNs;
                offsetNs = now.getEpochSecond() * NS_PER_SECOND + now.getNano() - beforeNs - tookNs / 2;
            }
        }
        return offsetNs;
    }
}
