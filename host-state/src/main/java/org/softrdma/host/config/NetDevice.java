// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.config;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.net.Gids;

/**
 * A network interface as it is at one moment.
 *
 * @param ifIndex   the system's number for it, from 1
 * @param mac       48 bits, first octet highest; 0 where there is none (loopback, tunnels)
 * @param mtu       bytes of an IP packet
 * @param up        administratively up
 * @param running   up, and with carrier
 * @param addresses IPv4 in the system's order (primary first), then IPv6
 */
public record NetDevice(
    String name, int ifIndex, long mac, int mtu, boolean up, boolean running, boolean loopback, List<InetAddress> addresses) {

    private static final Path SYSFS = Path.of("/sys/class/net");
    private static final int IFF_UP = 1;

    public NetDevice {
        addresses = List.copyOf(addresses);
    }

    /**
     * Every interface, by index.
     *
     * @throws VerbsException EIO if the system does not list them
     */
    public static List<NetDevice> list() {
        try {
            // Neither lambdas nor streams in here: every tool runs this at its start, and they would double the time it takes.
            Map<Integer, NetDevice> devices = new TreeMap<>();
            for (NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                NetDevice device = read(each);
                if (device != null) {
                    devices.put(device.ifIndex, device);
                }
            }
            return List.copyOf(devices.values());
        } catch (SocketException refused) {
            throw new VerbsException(Errno.EIO, "list_netdev", "the system does not list its network interfaces: " + refused.getMessage(),
                refused);
        }
    }

    /** Finds an interface by its name; null if there is none. */
    public static NetDevice find(String name) {
        try {
            NetworkInterface found = NetworkInterface.getByName(name);
            return found == null ? null : read(found);
        } catch (SocketException refused) {
            throw new VerbsException(Errno.EIO, "find_netdev", name + ": " + refused.getMessage(), refused);
        }
    }

    /**
     * Finds an interface by its name.
     *
     * @throws VerbsException ENODEV, listing the interfaces there are
     */
    public static NetDevice require(String name) {
        NetDevice found = find(name);
        if (found == null) {
            throw new VerbsException(Errno.ENODEV, "link_add",
                "no network interface named " + name + "; there are: " + list().stream().map(NetDevice::name).toList());
        }
        return found;
    }

    /** The interface of this name as it is now; {@link #gone} if it was removed. */
    public NetDevice now() {
        NetDevice found = find(name);
        return found == null ? gone() : found;
    }

    /**
     * Checks that an RDMA device can be opened on this interface.
     *
     * @param device its name
     * @throws VerbsException ENODEV: the interface is down, or has no address
     */
    public void requireUsable(String device) {
        if (!up || addresses.isEmpty()) {
            throw new VerbsException(Errno.ENODEV, "open_device", device + ": interface " + name
                + (up ? " has no address; give it one (ip addr add)" : " is down; bring it up (ip link set " + name + " up)"));
        }
    }

    /** Whether packets can be sent and received: up, and with carrier. */
    public boolean isActive() {
        return up && running;
    }

    /** State of the interface after its removal: the same name, down and without addresses. */
    public NetDevice gone() {
        return new NetDevice(name, ifIndex, mac, mtu, false, false, loopback, List.of());
    }

    /** The node GUID that Linux derives from the MAC address, as kernel rxe and siw do, also from the loopback's zero address. */
    public long nodeGuid() {
        return Gids.nodeGuid(mac);
    }

    /** The GID that every RoCE port has: link-local, derived from the MAC address. */
    public Gid defaultGid() {
        return defaultGid(mac);
    }

    /**
     * The link-local GID of a MAC address.
     *
     * @param mac u48
     */
    public static Gid defaultGid(long mac) {
        return new Gid(Gids.LINK_LOCAL_HIGH, Gids.lowFromMac(mac));
    }

    /** Speed of the interface now, bits per second; 0 if the system does not report it, as for loopbacks and most bridges. Linux only. */
    public long bitsPerSecond() {
        try {
            long megabits = Long.parseLong(Files.readString(SYSFS.resolve(name).resolve("speed")).strip());
            return megabits > 0 ? megabits * 1_000_000 : 0;
        } catch (IOException | RuntimeException unknown) {
            return 0;
        }
    }

    /** Reads an interface; null if it was removed meanwhile. */
    private static NetDevice read(NetworkInterface source) {
        try {
            boolean running = source.isUp();
            return new NetDevice(source.getName(), source.getIndex(), mac(source), source.getMTU(),
                running || isUpWithoutCarrier(source.getName()), running, source.isLoopback(), addresses(source));
        } catch (SocketException gone) {
            return null;
        }
    }

    private static long mac(NetworkInterface source) throws SocketException {
        byte[] octets = source.getHardwareAddress();
        if (octets == null || octets.length != 6) {
            return 0;
        }
        long mac = 0;
        for (byte octet : octets) {
            mac = mac << 8 | octet & 0xff;
        }
        return mac;
    }

    /** Addresses in the system's order: the JDK prepends each address it finds, IPv4 first, so its list is reversed. */
    private static List<InetAddress> addresses(NetworkInterface source) {
        List<InetAddress> addresses = Collections.list(source.getInetAddresses());
        Collections.reverse(addresses);
        List<InetAddress> ordered = new ArrayList<>(addresses.size());
        int ipv4 = 0;
        for (InetAddress each : addresses) {
            if (each instanceof Inet4Address) {
                ordered.add(ipv4++, each);
            } else {
                ordered.add(each);
            }
        }
        return ordered;
    }

    /** Whether Linux reports the interface as up: {@link NetworkInterface#isUp} means up with carrier. False on other systems. */
    private static boolean isUpWithoutCarrier(String name) {
        try {
            String flags = Files.readString(SYSFS.resolve(name).resolve("flags")).strip();
            return (Integer.decode(flags) & IFF_UP) != 0;
        } catch (IOException | RuntimeException unknown) {
            return false;
        }
    }
}
