// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.inspect;

/** Source of a part of the report: a device or the connection manager. */
public interface ReportSource {
    /** Adds the objects and counters there are now. Runs on the publisher's thread; must not hold a lock longer than one object needs. */
    void report(ReportBuilder into);

    /**
     * The last events of its queue pairs and connections, as JSON lines with a head of their own. Runs on the publisher's thread.
     *
     * @return empty if nothing is recorded
     */
    default byte[] recording() {
        return new byte[0];
    }
}
