// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.inspect;

import java.util.List;

/**
 * What one process has on its devices at one moment.
 *
 * @param command what the process calls itself, see {@link ProcessName}
 */
public record ProcessReport(long pid, String command, List<DeviceReport> devices) {
    public ProcessReport {
        devices = List.copyOf(devices);
    }
}
