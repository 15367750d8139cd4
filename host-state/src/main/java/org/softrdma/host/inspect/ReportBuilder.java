// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.inspect;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Builds a process's report from its parts. */
public final class ReportBuilder {
    /** Maximum objects listed for the whole process; those beyond are only counted. */
    public static final int MAX_LISTED = 10_000;

    private final Map<String, Device> devices = new LinkedHashMap<>();
    private int listed;

    /** The part about the device of that name. */
    public Device device(String name) {
        return devices.computeIfAbsent(name, Device::new);
    }

    public ProcessReport build(long pid, String command) {
        return new ProcessReport(pid, command, devices.values().stream().map(Device::build).toList());
    }

    /** The part of the report about one device. */
    public final class Device {
        private final String name;
        private final Map<String, Long> counters = new LinkedHashMap<>();
        private final Map<ResourceKind, Long> totals = new EnumMap<>(ResourceKind.class);
        private final List<Resource> resources = new ArrayList<>();

        private Device(String name) {
            this.name = name;
        }

        public void counters(Map<String, Long> all) {
            counters.putAll(all);
        }

        public void add(Resource resource) {
            totals.merge(resource.kind(), 1L, Long::sum);
            if (listed < MAX_LISTED) {
                listed++;
                resources.add(resource);
            }
        }

        private DeviceReport build() {
            return new DeviceReport(name, counters, totals, resources);
        }
    }
}
