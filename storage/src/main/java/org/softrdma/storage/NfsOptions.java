// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import org.softrdma.rpcrdma.ServerOptions;

/**
 * Options of a server.
 *
 * @param directory the exported directory
 * @param readOnly  whether clients may only read
 * @param addresses addresses of RDMA connections
 * @param mountPort TCP port of MOUNT, which Linux's client needs before it connects; 0 for any
 * @param graceSeconds how long after the start clients of version 4.1 may claim what they had locked before, and nobody else may lock
 * @param transport options of RDMA connections
 */
public record NfsOptions(Path directory, boolean readOnly, List<InetSocketAddress> addresses, int mountPort, int graceSeconds,
                         ServerOptions transport) {
    /** The port of NFS over RDMA. Source: RFC 8267. */
    public static final int PORT = 20049;
    /** The port that MOUNT usually has. */
    public static final int MOUNT_PORT = 20048;

    /** Time in which clients notice a restart of the server. */
    public static final int GRACE_SECONDS = 30;

    /** Copies the list. */
    public NfsOptions {
        addresses = List.copyOf(addresses);
    }

    /**
     * Creates options with defaults: the usual ports, on all addresses of both families.
     *
     * @param directory the exported directory
     * @return new options
     */
    public static NfsOptions of(Path directory) {
        return new NfsOptions(directory, false, anyAddress(PORT), MOUNT_PORT, GRACE_SECONDS, ServerOptions.DEFAULT);
    }

    /**
     * Returns the wildcard addresses.
     *
     * @param port of both
     * @return those of IPv4 and of IPv6
     */
    public static List<InetSocketAddress> anyAddress(int port) {
        try {
            return List.of(new InetSocketAddress(InetAddress.getByAddress(new byte[4]), port),
                new InetSocketAddress(InetAddress.getByAddress(new byte[16]), port));
        } catch (UnknownHostException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /**
     * Replaces whether clients may only read.
     *
     * @param readOnly true for reading only
     * @return new options
     */
    public NfsOptions withReadOnly(boolean readOnly) {
        return new NfsOptions(directory, readOnly, addresses, mountPort, graceSeconds, transport);
    }

    /**
     * Replaces the addresses of RDMA connections.
     *
     * @param addresses from 1
     * @return new options
     */
    public NfsOptions withAddresses(List<InetSocketAddress> addresses) {
        return new NfsOptions(directory, readOnly, addresses, mountPort, graceSeconds, transport);
    }

    /**
     * Replaces the TCP port of MOUNT.
     *
     * @param mountPort 0 for any
     * @return new options
     */
    public NfsOptions withMountPort(int mountPort) {
        return new NfsOptions(directory, readOnly, addresses, mountPort, graceSeconds, transport);
    }

    /**
     * Replaces the time in which clients claim what they had locked.
     *
     * @param graceSeconds seconds, from 0
     * @return new options
     */
    public NfsOptions withGraceSeconds(int graceSeconds) {
        return new NfsOptions(directory, readOnly, addresses, mountPort, graceSeconds, transport);
    }
}
