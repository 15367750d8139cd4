// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Compares what the unmodified {@code ibv_devinfo -v} says of our device and of kernel rxe. The table in docs/interop.md has every
 * difference and its reason; a difference without a reason fails.
 */
@ExtendWith(LabExtension.class)
class CDeviceInfoTest {
    /** Values of the host rather than of the device. */
    private static final Set<String> OF_THE_HOST = Set.of("node_guid", "sys_image_guid", "num_comp_vectors", "max_mtu", "active_mtu");
    private static final String ODP = "memory is reached when it is used, so on-demand paging is always there";
    private static final String CAPABILITIES = "ours: FLUSH and ATOMIC WRITE; not ours: path migration and change of the port, which "
        + "kernel rxe says and does not do, memory management extensions, which are for programs in the kernel, and the resizing of shared "
        + "receive queues";
    private static final Map<String, String> REASONS = Map.ofEntries(
        Map.entry("device_cap_flags", CAPABILITIES), Map.entry("device_cap_flags_ex", CAPABILITIES),
        Map.entry("general_odp_caps", ODP), Map.entry("rc_odp_caps", ODP), Map.entry("uc_odp_caps", ODP), Map.entry("ud_odp_caps", ODP),
        Map.entry("gid_tbl_len", "as many as an interface has addresses, up to 16"),
        Map.entry("max_qp_wr", "bounds what a program can make the device allocate"),
        Map.entry("max_srq_wr", "bounds what a program can make the device allocate"),
        Map.entry("max_mcast_grp", "groups of one interface that the host joins"),
        Map.entry("max_total_mcast_qp_attach", "max_mcast_grp · max_mcast_qp_attach"));

    /** Stops the daemon: it has the port of RoCE, which Java tools of other tests need. */
    @AfterAll
    static void stopDaemon(KernelLab lab) {
        CPrograms.stopDaemon(lab);
    }

    @Test
    void shouldDescribeTheDeviceAsDocumented(KernelLab lab) throws IOException {
        Map<String, String> theirs;
        Map<String, String> ours;
        try (RunningCommand guest = lab.guest().start(lab.directory().resolve("devinfo-kernel.txt"),
                List.of("ibv_devinfo", "-v", "-d", "rxe0"));
             RunningCommand host = lab.tool(lab.directory().resolve("devinfo-ours.txt"), "./softrdma", "run", "--", "ibv_devinfo", "-v",
                "-d", "rxe0")) {
            theirs = values(guest.awaitSuccess(Ends.DEADLINE));
            ours = values(host.awaitSuccess(Ends.DEADLINE));
        }
        Set<String> names = new TreeSet<>(theirs.keySet());
        names.addAll(ours.keySet());
        names.removeAll(OF_THE_HOST);
        StringBuilder table = new StringBuilder("| `ibv_devinfo -v` | rxe of Linux " + Matrix.shortVersion(lab.kernel())
            + " | ours | why |\n|---|---|---|---|\n");
        Set<String> unexplained = new TreeSet<>();
        for (String name : names) {
            String kernel = theirs.getOrDefault(name, "–");
            String own = ours.getOrDefault(name, "–");
            if (!kernel.equals(own)) {
                if (!REASONS.containsKey(name)) {
                    unexplained.add(name + ": " + kernel + ", ours " + own);
                }
                table.append("| ").append(name).append(" | ").append(kernel).append(" | ").append(own).append(" | ")
                    .append(REASONS.getOrDefault(name, "?")).append(" |\n");
            }
        }
        assertEquals(Set.of(), unexplained);
        DocTable.check("devinfo", table.toString());
    }

    /** Values by name; names of flags below a name are appended to its value. The GID table is left out. */
    private static Map<String, String> values(String output) {
        Map<String, String> values = new LinkedHashMap<>();
        String last = "";
        for (String line : output.lines().toList()) {
            int colon = line.indexOf(':');
            String text = line.strip();
            if (text.startsWith("GID[") || text.isEmpty()) {
                continue;
            }
            if (line.startsWith("\t\t\t\t\t")) {
                values.merge(last, text, (before, flag) -> (before + ' ' + flag).strip());
            } else if (colon < 0) {
                values.put(text, "yes");
            } else {
                last = line.substring(0, colon).strip();
                values.put(last, line.substring(colon + 1).strip());
            }
        }
        return values;
    }
}
