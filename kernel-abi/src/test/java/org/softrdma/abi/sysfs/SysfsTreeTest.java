// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.sysfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Texts beside those of Linux 6.1. */
class SysfsTreeTest {
    private static final long GUID = 0x5054_00ff_fe12_3456L;
    private static final String RATE = "2.5 Gb/sec (1X SDR)";
    private static final DeviceNumber RDMA_CM = DeviceNumber.misc(124);
    /** Listed by the kernel, but not readable: a GID without network interface. */
    private static final String UNREADABLE = "class/infiniband/siw0/ports/1/gid_attrs/ndevs/0";

    /** The guest's devices as they were when the texts were recorded. */
    private static SysfsDevice rxe(Map<String, Long> hwCounters, Map<String, Map<String, Long>> groups) {
        SysfsGid linkLocal = new SysfsGid(0, 0xfe80_0000_0000_0000L, GUID, SysfsGid.ROCE_V2, "eth0");
        SysfsGid ipv4 = new SysfsGid(1, 0, 0x0000_ffff_0a4d_0002L, SysfsGid.ROCE_V2, "eth0");
        SysfsPort port = new SysfsPort(1, 4, 5, 0x00010000, RATE, "Ethernet", List.of(0xffff), List.of(linkLocal, ipv4), Map.of(),
            hwCounters, groups, 0);
        return new SysfsDevice("rxe0", 0, 2, SysfsDevice.CA, "rxe", "", GUID, GUID, "eth0", List.of(), List.of(port));
    }

    private static SysfsDevice siw() {
        SysfsGid mac = new SysfsGid(0, 0x5254_0012_3456_0000L, 0, SysfsGid.IB_OR_ROCE_V1, null);
        SysfsPort port = new SysfsPort(1, 4, 5, 0x00090000, RATE, "Ethernet", List.of(), List.of(mac), Map.of(), Map.of(), Map.of(),
            SysfsPort.NO_UMAD);
        return new SysfsDevice("siw0", 1, 1, SysfsDevice.RNIC, "Software iWARP stack", "", GUID, GUID, null, List.of(), List.of(port));
    }

    @Test
    void shouldPrintWhatLinuxPrints() throws IOException {
        Map<String, String> linux = recorded();
        Map<String, Long> hwCounters = counters(linux, "hw_counters");
        Map<String, Map<String, Long>> groups = new TreeMap<>();
        for (String group : List.of("cm_tx_retries", "cm_rx_msgs", "cm_tx_msgs", "cm_rx_duplicates")) {
            groups.put(group, counters(linux, group));
            assertEquals(11, groups.get(group).size());
        }
        assertEquals(16, hwCounters.size());
        assertEquals(12, hwCounters.get("lifespan"));
        Map<String, String> ours = SysfsTree.of(List.of(rxe(hwCounters, groups), siw()), RDMA_CM);
        assertEquals("\n", linux.remove(UNREADABLE));
        Map<String, String> expected = new TreeMap<>(linux);
        expected.put("class/misc/rdma_cm/abi_version", "4\n");
        expected.put("class/misc/rdma_cm/dev", "10:124\n");
        // The module ib_umad was not loaded when the texts were recorded.
        expected.put("class/infiniband_mad/abi_version", "5\n");
        expected.put("class/infiniband_mad/umad0/dev", "231:0\n");
        expected.put("class/infiniband_mad/umad0/ibdev", "rxe0\n");
        expected.put("class/infiniband_mad/umad0/port", "1\n");
        expected.put("class/infiniband_mad/umad0/uevent", "MAJOR=231\nMINOR=0\nDEVNAME=infiniband/umad0\n");
        assertEquals(expected, ours);
        assertEquals(109 + 2 + 5, ours.size());
    }

    @Test
    void shouldShowPortsThatAreDown() {
        SysfsPort port = new SysfsPort(1, 1, 3, 0, RATE, "Ethernet", List.of(), List.of(), Map.of(), Map.of(), Map.of(), 1);
        SysfsDevice device = new SysfsDevice("rxe1", 2, 2, SysfsDevice.CA, "rxe", "", 0, 0, "lo", List.of("lo"), List.of(port));
        Map<String, String> files = SysfsTree.of(List.of(device), RDMA_CM);
        assertEquals("1: DOWN\n", files.get("class/infiniband/rxe1/ports/1/state"));
        assertEquals("3: Disabled\n", files.get("class/infiniband/rxe1/ports/1/phys_state"));
        assertEquals("231:194\n", files.get("class/infiniband_verbs/uverbs2/dev"));
        assertEquals("", files.get("class/infiniband/rxe1/device/net/lo/"));
        assertFalse(files.keySet().stream().anyMatch(path -> path.contains("hw_counters") || path.contains("gids")));
    }

    @Test
    void shouldPrintCountersWithoutASign() {
        Map<String, Long> counters = Map.of("port_xmit_data", -1L);
        SysfsPort port = new SysfsPort(1, 4, 5, 0, RATE, "Ethernet", List.of(), List.of(), counters, Map.of(), Map.of(),
            SysfsPort.NO_UMAD);
        SysfsDevice device = new SysfsDevice("rxe0", 0, 2, SysfsDevice.CA, "rxe", "", -1, 0, null, List.of(), List.of(port));
        Map<String, String> files = SysfsTree.of(List.of(device), RDMA_CM);
        assertEquals("18446744073709551615\n", files.get("class/infiniband/rxe0/ports/1/counters/port_xmit_data"));
        assertEquals("ffff:ffff:ffff:ffff\n", files.get("class/infiniband/rxe0/node_guid"));
        assertFalse(files.containsKey("class/infiniband/rxe0/parent"));
    }

    @Test
    void shouldShowTheInterfacesWithoutDevices() {
        Map<String, String> files = SysfsTree.of(List.of(), RDMA_CM);
        assertEquals(Map.of("class/infiniband_verbs/abi_version", "6\n", "class/infiniband_mad/abi_version", "5\n",
            "class/misc/rdma_cm/abi_version", "4\n", "class/misc/rdma_cm/dev", "10:124\n"), files);
    }

    /** Values of the counters in a directory of rxe0's port, as recorded. */
    private static Map<String, Long> counters(Map<String, String> linux, String directory) {
        Map<String, Long> counters = new TreeMap<>();
        String prefix = "class/infiniband/rxe0/ports/1/" + directory + "/";
        linux.forEach((path, text) -> {
            if (path.startsWith(prefix)) {
                counters.put(path.substring(prefix.length()), Long.valueOf(text.strip()));
            }
        });
        return counters;
    }

    private static Map<String, String> recorded() throws IOException {
        Map<String, String> files = new LinkedHashMap<>();
        try (InputStream in = SysfsTreeTest.class.getResourceAsStream("linux-6.1.txt")) {
            String path = null;
            for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList()) {
                if (line.startsWith("#")) {
                    continue;
                }
                int equals = line.indexOf(" = ");
                if (equals > 0) {
                    path = "class/" + line.substring(0, equals);
                    files.put(path, line.substring(equals + 3) + "\n");
                } else {
                    files.merge(path, line + "\n", String::concat);
                }
            }
        }
        assertTrue(files.size() > 100);
        return files;
    }
}
