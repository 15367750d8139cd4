// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.inspect;

/** A part of the process that has something to report. */
public interface ReportSource {
    /** Adds what there is now. Called on a thread of ours; takes no lock for longer than one object needs. */
    void report(ReportBuilder into);
}
