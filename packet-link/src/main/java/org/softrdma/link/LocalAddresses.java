// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;

/** Checks and conversions of the addresses that a link binds. */
public final class LocalAddresses {
    private LocalAddresses() {
    }

    /**
     * Checks that there is an address, and that all are unicast.
     *
     * @throws VerbsException EINVAL
     */
    public static void check(List<Gid> addresses) {
        if (addresses.isEmpty()) {
            throw new VerbsException(Errno.EINVAL, "open_device", "no address to bind");
        }
        for (Gid address : addresses) {
            if (address.isZero() || address.isMulticast() || address.isIpv4Mapped() && address.ipv4() == 0) {
                throw new VerbsException(Errno.EINVAL, "open_device", address + " is not a unicast address: a link binds exact addresses,"
                    + " because peers check the source of packets");
            }
        }
    }

    /**
     * Finds the interface of a link-local address.
     *
     * @return its index; 0 for any other address
     * @throws VerbsException ENODEV if there is no such interface, EADDRNOTAVAIL if none has the address
     */
    public static int scopeOf(Gid address, String interfaceName) {
        if (!address.isLinkLocal()) {
            return 0;
        }
        try {
            if (interfaceName != null) {
                NetworkInterface named = NetworkInterface.getByName(interfaceName);
                if (named == null) {
                    throw new VerbsException(Errno.ENODEV, "open_device", "no network interface " + interfaceName + " for " + address);
                }
                return named.getIndex();
            }
            for (NetworkInterface candidate : NetworkInterface.networkInterfaces().toList()) {
                for (InterfaceAddress held : candidate.getInterfaceAddresses()) {
                    if (Gid.of(held.getAddress()).equals(address)) {
                        return candidate.getIndex();
                    }
                }
            }
        } catch (SocketException e) {
            throw new VerbsException(Errno.ENODEV, "open_device", "cannot list network interfaces for " + address, e);
        }
        throw new VerbsException(Errno.EADDRNOTAVAIL, "open_device", "no network interface has " + address);
    }

    /**
     * Finds the interface of a link with these addresses.
     *
     * @param interfaceName null to find it by address
     * @throws VerbsException ENODEV
     */
    public static NetworkInterface interfaceOf(List<Gid> addresses, String interfaceName) {
        try {
            NetworkInterface found = interfaceName != null ? NetworkInterface.getByName(interfaceName) : null;
            for (int i = 0; found == null && interfaceName == null && i < addresses.size(); i++) {
                InetAddress address = addresses.get(i).toInetAddress();
                // All of 127.0.0.0/8 belongs to the loopback interface, which lists 127.0.0.1 only.
                found = NetworkInterface.getByInetAddress(address.isLoopbackAddress() ? InetAddress.getLoopbackAddress() : address);
            }
            if (found != null) {
                return found;
            }
        } catch (SocketException e) {
            throw new VerbsException(Errno.ENODEV, "attach_mcast", "cannot list network interfaces", e);
        }
        throw new VerbsException(Errno.ENODEV, "attach_mcast", "no network interface "
            + (interfaceName != null ? interfaceName : "has " + addresses));
    }

    /** A copy of the list with one more address. */
    public static List<Gid> with(List<Gid> addresses, Gid more) {
        List<Gid> all = new ArrayList<>(addresses);
        all.add(more);
        return List.copyOf(all);
    }

    /** A copy of the list without an address. */
    public static List<Gid> without(List<Gid> addresses, Gid gone) {
        return addresses.stream().filter(each -> !each.equals(gone)).toList();
    }

    /**
     * Checks that one of the addresses is of the group's IP version.
     *
     * @throws VerbsException EADDRNOTAVAIL
     */
    public static void checkGroup(List<Gid> addresses, Gid group) {
        if (addresses.stream().noneMatch(address -> address.isIpv4Mapped() == group.isIpv4Mapped())) {
            throw new VerbsException(Errno.EADDRNOTAVAIL, "attach_mcast", "group " + text(group) + ": the device has no "
                + (group.isIpv4Mapped() ? "IPv4" : "IPv6") + " address");
        }
    }

    /**
     * Checks a RoCE v2 path of a link with these addresses.
     *
     * @throws VerbsException EOPNOTSUPP: RoCE v1; EADDRNOTAVAIL: the local address is none of the link's; EINVAL: IPv4 and IPv6 mixed
     */
    public static void checkPath(List<Gid> addresses, PathRequest request) {
        request.requireV2();
        Gid local = request.local();
        if (!addresses.contains(local)) {
            throw new VerbsException(Errno.EADDRNOTAVAIL, "resolve_route", text(local) + " is not an address of this link");
        }
        if (local.isIpv4Mapped() != request.remote().isIpv4Mapped()) {
            throw mixed(request);
        }
    }

    /** EINVAL for a path from IPv4 to IPv6 or the other way round. */
    public static VerbsException mixed(PathRequest request) {
        return new VerbsException(Errno.EINVAL, "resolve_route", "from " + request.local() + " to " + request.remote()
            + ": IPv4 and IPv6 do not mix");
    }

    /**
     * Converts an address.
     *
     * @param scope index of the interface, 0 for none
     */
    public static InetAddress toInetAddress(Gid address, int scope) {
        if (scope == 0) {
            return address.toInetAddress();
        }
        byte[] bytes = ByteBuffer.allocate(16).putLong(address.high()).putLong(address.low()).array();
        try {
            return Inet6Address.getByAddress(null, bytes, scope);
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Text of an address without the prefix of mapped IPv4, as ip(8) and ss(8) print it. */
    public static String text(Gid address) {
        return address.isIpv4Mapped() ? address.toInetAddress().getHostAddress() : address.toString();
    }

    /**
     * Builds the exception of a failed bind, with the process that has the port if that can be found.
     *
     * @param errno  EADDRINUSE, EADDRNOTAVAIL or another
     * @param reason text for other errnos; may be empty
     * @param cause  or null
     */
    public static VerbsException bindFailed(Errno errno, Gid address, int port, String reason, Throwable cause) {
        String where = "UDP " + text(address) + " port " + port;
        String detail = switch (errno) {
            case EADDRINUSE -> where + " is taken" + PortOwner.describe(address, port);
            case EADDRNOTAVAIL -> where + ": this host (or network namespace) does not have the address, or it is not up yet";
            case EACCES -> where + ": the host does not let this process bind it";
            default -> where + (reason.isEmpty() ? "" : ": " + reason);
        };
        VerbsException failure = new VerbsException(errno, "open_device", detail);
        if (cause != null) {
            failure.initCause(cause);
        }
        return failure;
    }
}
