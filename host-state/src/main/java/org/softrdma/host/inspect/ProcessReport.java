// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.inspect;

import java.util.List;

/**
 * Objects and counters of one process on its devices at one moment.
 *
 * @param command name of the process, see {@link ProcessName}
 */
public record ProcessReport(long pid, String command, List<DeviceReport> devices) {
    public ProcessReport {
        devices = List.copyOf(devices);
    }
}
