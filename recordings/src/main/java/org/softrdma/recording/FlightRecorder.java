// SPDX-License-Identifier: Apache-2.0
package org.softrdma.recording;

import org.softrdma.verbs.Context;
import org.softrdma.verbs.VerbsException;

/**
 * The recorder of a device: it keeps the last events of each queue pair and connection in rings of fixed size. All contexts of the device
 * share it. Every method may be called from any thread; it holds the device's lock for the time of a copy.
 */
public interface FlightRecorder {
    /** Value of {@link #record(int)} for all queue pairs. */
    int ALL = -1;

    /**
     * Finds the recorder of a context's device.
     *
     * @param context open
     * @return the recorder, shared by all contexts of the device
     * @throws VerbsException EOPNOTSUPP: the device is not one of this project's
     */
    static FlightRecorder of(Context context) {
        if (context instanceof Recorded recorded) {
            return recorded.recorder();
        }
        throw VerbsException.unsupported("record");
    }

    /**
     * Copies the rings of all queue pairs and connections, and of the device.
     *
     * @return a copy that does not change
     */
    default Recording record() {
        return record(ALL);
    }

    /**
     * Copies the rings of one queue pair, of its connection, and the device's events about it.
     *
     * @param qpNum number of the queue pair; {@link #ALL} for all. One that does not exist has no tracks
     * @return a copy that does not change
     */
    Recording record(int qpNum);

    /**
     * Begins to collect all events from now on, not only the last ones, until the collection is closed.
     *
     * @param maxEvents the collection stops when it has that many
     * @return the collection; to be closed
     */
    EventCollection collect(int maxEvents);

    /** A context whose device has a recorder. */
    interface Recorded {
        /** {@return the recorder of the context's device} */
        FlightRecorder recorder();
    }
}
