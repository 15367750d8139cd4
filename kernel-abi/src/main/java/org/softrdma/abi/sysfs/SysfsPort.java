// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.sysfs;

import java.util.List;
import java.util.Map;

/**
 * Values of a port.
 *
 * @param number number, from 1
 * @param state {@code enum ibv_port_state}, 0..5
 * @param physState physical state, 1..7
 * @param capMask capability bits, as in QUERY_PORT
 * @param rate speed as the kernel names it, for example {@code 2.5 Gb/sec (1X SDR)}
 * @param linkLayer {@code Ethernet} or {@code InfiniBand}
 * @param pkeys partition table; empty with iWARP
 * @param gids GID table, valid entries only
 * @param counters files below {@code counters}, by name; the directory is missing if it is empty
 * @param hwCounters files below {@code hw_counters}, by name; the directory is missing if it is empty
 * @param groups further directories of counters, such as {@code cm_tx_msgs}, by name of directory and file
 * @param umad number of {@code /dev/infiniband/umadN}, 0..63, or {@link #NO_UMAD}
 */
public record SysfsPort(int number, int state, int physState, int capMask, String rate, String linkLayer, List<Integer> pkeys,
    List<SysfsGid> gids, Map<String, Long> counters, Map<String, Long> hwCounters, Map<String, Map<String, Long>> groups,
    int umad) {
    /** A port without management datagrams, as with iWARP. */
    public static final int NO_UMAD = -1;
}
