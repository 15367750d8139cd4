// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.PortSpace;

/** Bound ports of this process, by port space. Thread-safe. */
final class PortTable {
    /** First port that is given to identifiers bound without a port; the range is Linux's default. */
    static final int FIRST_EPHEMERAL = 32768;
    static final int LAST_EPHEMERAL = 60999;

    private final Map<CmService, List<Binding>> bindings = new HashMap<>();

    /** Address and port of one identifier. */
    static final class Binding {
        private final CmService service;
        private final InetAddress address;
        private final boolean reuse;
        private final boolean familyOnly;
        private boolean listening;

        private Binding(CmService service, InetAddress address, boolean reuse, boolean familyOnly) {
            this.service = service;
            this.address = address;
            this.reuse = reuse;
            this.familyOnly = familyOnly;
        }

        int port() {
            return service.port();
        }

        private boolean overlaps(Binding other) {
            if (isIpv6() != other.isIpv6()) {
                // The IPv6 wildcard address includes IPv4.
                return coversBoth() || other.coversBoth();
            }
            return address.isAnyLocalAddress() || other.address.isAnyLocalAddress() || address.equals(other.address);
        }

        private boolean isIpv6() {
            return address instanceof Inet6Address;
        }

        private boolean coversBoth() {
            return isIpv6() && address.isAnyLocalAddress() && !familyOnly;
        }
    }

    /**
     * Binds an address and a port.
     *
     * @param host selects a free port if the address has port 0
     * @throws VerbsException EADDRINUSE
     */
    synchronized Binding bind(PortSpace space, InetSocketAddress wanted, boolean reuse, boolean familyOnly, CmHost host) {
        if (wanted.getPort() != 0) {
            Binding binding = new Binding(new CmService(space, wanted.getPort()), wanted.getAddress(), reuse, familyOnly);
            if (!fits(binding)) {
                throw new VerbsException(Errno.EADDRINUSE, "bind_addr", "port " + wanted.getPort() + " of " + space
                    + " is bound in this process already; both must set reuseAddress, or take another port");
            }
            return enter(binding);
        }
        int count = LAST_EPHEMERAL - FIRST_EPHEMERAL + 1;
        int start = host.random(count);
        for (int i = 0; i < count; i++) {
            CmService service = new CmService(space, FIRST_EPHEMERAL + (start + i) % count);
            if (!bindings.containsKey(service) && host.isFree(space, new InetSocketAddress(wanted.getAddress(), service.port()))) {
                return enter(new Binding(service, wanted.getAddress(), reuse, familyOnly));
            }
        }
        throw new VerbsException(Errno.EADDRNOTAVAIL, "bind_addr",
            "all " + count + " ports of " + space + " for identifiers bound without a port"
            + " are taken; close identifiers");
    }

    private boolean fits(Binding binding) {
        return bindings.getOrDefault(binding.service, List.of()).stream()
            .noneMatch(other -> other.overlaps(binding) && !(other.reuse && binding.reuse && !other.listening));
    }

    private Binding enter(Binding binding) {
        bindings.computeIfAbsent(binding.service, unused -> new ArrayList<>()).add(binding);
        return binding;
    }

    /**
     * Marks a binding as listening. Only one of several bindings of a port may listen.
     *
     * @throws VerbsException EADDRINUSE: another one listens
     */
    synchronized void listen(Binding binding) {
        for (Binding other : bindings.get(binding.service)) {
            if (other != binding && other.overlaps(binding)) {
                throw new VerbsException(Errno.EADDRINUSE, "listen", "port " + binding.port() + " of " + binding.service.space()
                    + " is bound by another identifier, too");
            }
        }
        binding.listening = true;
    }

    /** Marks a binding as not listening. */
    synchronized void unlisten(Binding binding) {
        binding.listening = false;
    }

    synchronized void release(Binding binding) {
        bindings.computeIfPresent(binding.service, (unused, all) -> {
            all.remove(binding);
            return all.isEmpty() ? null : all;
        });
    }
}
