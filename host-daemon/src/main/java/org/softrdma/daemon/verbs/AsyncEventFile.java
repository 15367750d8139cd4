// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import org.softrdma.abi.uverbs.AsyncEventRecord;
import org.softrdma.verbs.AsyncEventType;

/** A file of asynchronous events: records of 16 bytes, cookie of the object or number of the port, and event type. */
final class AsyncEventFile extends EventFile {
    AsyncEventFile(UverbsFile context) {
        super(context);
    }

    /** Writes an event of a port or of the device. Any thread. */
    void announce(AsyncEventType type, int port) {
        pipe().write(port, type.value());
    }

    /** Writes an event of an object, and counts it. Any thread. */
    synchronized void announce(AsyncEventType type, EventCookie object) {
        if (pipe().write(object.userHandle(), type.value())) {
            object.countAsync();
        }
    }

    /**
     * Takes out the events of a destroyed object that the program has not read.
     *
     * @return number of events that the program has read
     */
    synchronized int settle(EventCookie object) {
        return Math.max(0, object.asyncEvents() - pipe().purge(object.userHandle(), AsyncEventRecord.BYTES));
    }
}
