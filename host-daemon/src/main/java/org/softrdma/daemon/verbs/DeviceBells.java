// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import java.util.concurrent.locks.ReentrantLock;
import org.agrona.collections.Int2ObjectHashMap;
import org.softrdma.daemon.rings.BellSource;
import org.softrdma.daemon.rings.RingDoor;
import org.softrdma.linux.process.DoorbellWatch;

/** The doorbells of a device's programs: writes to their files. {@link #add} and {@link #remove} by any thread. */
final class DeviceBells implements BellSource, AutoCloseable {
    private final ReentrantLock owner;
    private final DoorbellWatch watch = new DoorbellWatch();
    /** Open files by their watch. Accessed with the owner's lock held. */
    private final Int2ObjectHashMap<UverbsFile> files = new Int2ObjectHashMap<>();

    /** @param owner lock of the device's owner */
    DeviceBells(ReentrantLock owner) {
        this.owner = owner;
    }

    /**
     * Listens to a file.
     *
     * @return its watch
     */
    int add(UverbsFile file) {
        int number = watch.add(file.shared());
        owner.lock();
        try {
            files.put(number, file);
        } finally {
            owner.unlock();
        }
        return number;
    }

    void remove(UverbsFile file) {
        watch.remove(file.watch());
        owner.lock();
        try {
            files.remove(file.watch());
        } finally {
            owner.unlock();
        }
    }

    @Override
    public int descriptor() {
        return watch.fd();
    }

    @Override
    public void report(RingDoor door) {
        int rung = watch.read();
        if (watch.hasOverflowed()) {
            for (UverbsFile each : files.values()) {
                ring(each, door);
            }
            return;
        }
        int last = -1;
        for (int i = 0; i < rung; i++) {
            int number = watch.fired(i);
            UverbsFile file = number == last ? null : files.get(number);
            last = number;
            if (file != null) {
                ring(file, door);
            }
        }
    }

    private static void ring(UverbsFile file, RingDoor door) {
        file.rewind();
        door.onBell(file.number());
    }

    @Override
    public void close() {
        watch.close();
    }
}
