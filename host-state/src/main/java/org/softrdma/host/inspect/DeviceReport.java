// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.inspect;

import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Objects and counters of a process on one device.
 *
 * @param counters  of the device, by name and in its order, since this process opened it
 * @param totals    number of objects by kind; kinds without objects may be missing
 * @param resources the objects; fewer than the totals if there are more than {@link ReportBuilder#MAX_LISTED}
 */
public record DeviceReport(String device, Map<String, Long> counters, Map<ResourceKind, Long> totals, List<Resource> resources) {
    public DeviceReport {
        counters = Collections.unmodifiableMap(new LinkedHashMap<>(counters));
        Map<ResourceKind, Long> sorted = new EnumMap<>(ResourceKind.class);
        sorted.putAll(totals);
        totals = Collections.unmodifiableMap(sorted);
        resources = List.copyOf(resources);
    }
}
