// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

/** Cookie by which a program recognises an object in its events, and the number of events that were written. */
final class EventCookie {
    private final long userHandle;
    private final AsyncEventFile file;
    /** Accessed with the monitor of {@link #file}. */
    private int asyncEvents;

    /**
     * Creates the cookie of an object without events.
     *
     * @param userHandle the program's own number of the object
     * @param file       for its asynchronous events; null if the program has none
     */
    EventCookie(long userHandle, AsyncEventFile file) {
        this.userHandle = userHandle;
        this.file = file;
    }

    long userHandle() {
        return userHandle;
    }

    /** Returns the file of its asynchronous events, or null. */
    AsyncEventFile file() {
        return file;
    }

    void countAsync() {
        asyncEvents++;
    }

    int asyncEvents() {
        return asyncEvents;
    }

    /** Ends the events of a destroyed object: returns the number that the program has read. */
    int settle() {
        return file == null ? 0 : file.settle(this);
    }
}
