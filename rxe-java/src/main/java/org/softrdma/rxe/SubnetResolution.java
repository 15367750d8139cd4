// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.net.InetAddress;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.softrdma.cm.CmResolver;
import org.softrdma.cm.CmRoute;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;

/**
 * Addresses of a device on a subnet, and resolution of those of its peers. The resolver runs, on a context of its own, as long as a context
 * of the process uses the device for connections: it also answers the peers that look for the device's addresses.
 */
final class SubnetResolution implements CmResolver {
    private static final long MILLISECOND_NS = 1_000_000;

    private final List<InetAddress> addresses;
    private final Supplier<Context> open;
    private final Function<Context, SubnetResolver> begin;
    private int users;
    private Context context;
    private volatile SubnetResolver resolver;

    /**
     * Creates it, not running.
     *
     * @param open  opens a context of the device
     * @param begin starts a resolver on it
     */
    SubnetResolution(List<InetAddress> addresses, Supplier<Context> open, Function<Context, SubnetResolver> begin) {
        this.addresses = addresses;
        this.open = open;
        this.begin = begin;
    }

    List<InetAddress> addresses() {
        return addresses;
    }

    /** Counts a context that uses connections; with the first one, the resolver is started. */
    synchronized void use() {
        if (users == 0) {
            context = open.get();
            try {
                resolver = begin.apply(context);
            } catch (VerbsException refused) {
                context.close();
                throw refused;
            }
        }
        users++;
    }

    /** Uncounts a context that used connections; with the last one, the resolver is stopped. */
    synchronized void leave() {
        users--;
        if (users == 0) {
            resolver.close();
            resolver = null;
            context.close();
        }
    }

    private SubnetResolver running(String verb) {
        SubnetResolver now = resolver;
        if (now == null) {
            throw new VerbsException(Errno.ENODEV, verb, "the device is closed");
        }
        return now;
    }

    @Override
    public Gid findPort(InetAddress address, int timeoutMs) {
        return running("resolve_addr").findPort(Gid.of(address), timeoutMs * MILLISECOND_NS);
    }

    @Override
    public CmRoute findRoute(Gid port, int timeoutMs) {
        return new SubnetRoute(running("resolve_route").findPath(port, timeoutMs * MILLISECOND_NS));
    }
}
