// SPDX-License-Identifier: Apache-2.0
package org.softrdma.recording;

/** Events of a device that are being collected, see {@link FlightRecorder#collect}. */
public interface EventCollection extends AutoCloseable {
    /** {@return a copy of the events collected up to now} */
    Recording recording();

    /** Ends the collection; what was collected can still be copied. */
    @Override
    void close();
}
