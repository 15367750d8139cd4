// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.world;

import java.util.List;
import org.softrdma.testing.DeviceKind;
import org.softrdma.testing.FabricOptions;

/**
 * Description of a simulated fabric with its connections: data, as a lesson's {@code fabric.json} has it.
 *
 * @param devices       1 to 16 hosts with one device each; none in a subnet
 * @param connections   queue pairs, two for each connection
 * @param faults        as docs/faults.md describes, without {@code dir} and {@code seed}
 * @param seed          of everything random
 * @param mtu           of the interfaces, bytes
 * @param bitsPerSecond speed of the links, 0 for infinitely fast
 * @param congestion    switches mark packets, and devices notify each other
 * @param subnet        an InfiniBand subnet instead of devices, null for none; of the others it has only faults and seed
 */
public record Scene(List<Host> devices, List<Connection> connections, String faults, long seed, int mtu, long bitsPerSecond,
                    boolean congestion, Subnet subnet) {
    private static final int MAX_DEVICES = 16;
    private static final int MAX_CONNECTIONS = 64;

    /**
     * A host with a device.
     *
     * @param name for people, one word
     */
    public record Host(String name, DeviceKind kind) {
    }

    /** How a connection begins. */
    public enum Begin {
        /** Both queue pairs are ready. */
        RTS,
        /** Both queue pairs were created, and nothing more. */
        RESET,
        /** The right host listens; the learner connects by address. */
        ADDRESS
    }

    /**
     * A connection between two hosts, left and right.
     *
     * @param memory         bytes that each end has registered
     * @param rights         what the peer may do with it: {@code all}, {@code read}, {@code write} or {@code none}
     * @param receives       receive requests that the right end has posted, of {@code receiveBytes} each
     * @param sharedReceives size of a shared receive queue on the right host, which the right ends of all connections use; 0 for none
     * @param retryCount     repetitions without an answer, 0..7
     * @param rnrRetry       repetitions while the receiver is not ready, 0..6, or 7 for endless
     * @param timeout        code of the ACK timeout: 4.096 µs · 2^code
     * @param reads          READs and atomics that may be outstanding
     */
    public record Connection(int left, int right, Begin begin, int memory, String rights, int receives, int receiveBytes,
                             int sharedReceives, int retryCount, int rnrRetry, int timeout, int reads) {
    }

    /**
     * An InfiniBand subnet.
     *
     * @param topology lines as of {@code ibnetdiscover}; the order of the nodes is that of the lanes
     * @param manager  host whose subnet manager has brought the subnet up at the beginning; null for a subnet without power
     * @param from     host at which the route begins that is shown
     * @param to       host at which it ends
     */
    public record Subnet(List<String> topology, Integer manager, int from, int to) {
    }

    /**
     * Checks a description that was read from data.
     *
     * @throws IllegalArgumentException naming what is wrong
     */
    public Scene checked() {
        if (subnet != null) {
            SubnetWorld.checkFaults(faults);
            return this;
        }
        if (devices == null || devices.isEmpty() || devices.size() > MAX_DEVICES) {
            throw new IllegalArgumentException("a scene has 1 to " + MAX_DEVICES + " devices");
        }
        if (connections == null || connections.size() > MAX_CONNECTIONS) {
            throw new IllegalArgumentException("a scene has at most " + MAX_CONNECTIONS + " connections");
        }
        for (Connection each : connections) {
            if (each.left < 0 || each.left >= devices.size() || each.right < 0 || each.right >= devices.size()) {
                throw new IllegalArgumentException("a connection is between devices " + each.left + " and " + each.right + " of "
                    + devices.size());
            }
            if (each.memory < 8 || each.memory > 1 << 24) {
                throw new IllegalArgumentException("memory of " + each.memory + " bytes; 8 to 16 MiB are allowed");
            }
        }
        options();
        return this;
    }

    FabricOptions options() {
        return new FabricOptions(devices.stream().map(Host::kind).toList(), faults, seed, mtu, bitsPerSecond, congestion);
    }

    public Scene withSeed(long newSeed) {
        return new Scene(devices, connections, faults, newSeed, mtu, bitsPerSecond, congestion, subnet);
    }

    public Scene withFaults(String text) {
        return new Scene(devices, connections, text, seed, mtu, bitsPerSecond, congestion, subnet);
    }
}
