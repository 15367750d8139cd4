// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.softrdma.device.verbs.SoftContext;
import org.softrdma.host.loopback.LoopbackListeners;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.PortSpace;

/** A process on a host whose devices are on a {@link MemoryNetwork}. */
final class TestHost implements CmHost {
    final MemoryNetwork network;
    final SoftConnectionManager manager = new SoftConnectionManager(this);
    final List<TestDevice> devices = new ArrayList<>();
    /** Routes: by destination, the source address. Others are unreachable. */
    final Map<InetAddress, InetAddress> routes = new HashMap<>();
    /** Addresses of interfaces without device. */
    final List<InetAddress> otherAddresses = new ArrayList<>();
    int random = 7;
    /** Ports that programs without RDMA have. */
    final Set<Integer> portsOfOthers = new HashSet<>();
    private final LoopbackListeners loopback;

    TestHost(MemoryNetwork network, LoopbackListeners loopback) {
        this.network = network;
        this.loopback = loopback;
    }

    TestHost(MemoryNetwork network) {
        this(network, new OneProcess());
    }

    static InetAddress ip(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** A device with these addresses; on the loopback interface if they are loopback addresses. */
    TestDevice add(String name, int firstQpn, String... addresses) {
        TestDevice device = new TestDevice(name, firstQpn, List.of(addresses).stream().map(TestHost::ip).toList());
        devices.add(device);
        return device;
    }

    void route(String destination, String source) {
        routes.put(ip(destination), ip(source));
    }

    final class TestDevice implements CmDevice {
        /** Every context that was opened. */
        final List<TestContext> contexts = new ArrayList<>();
        VerbsException refuses;
        /** Additional action on open. */
        Consumer<TestContext> whenOpened = context -> { };
        /** Of others it knows nothing. */
        Set<PortSpace> spaces = EnumSet.allOf(PortSpace.class);
        private final String name;
        private final int firstQpn;
        private final List<InetAddress> addresses;
        private final CmTransport transport;

        private TestDevice(String name, int firstQpn, List<InetAddress> addresses) {
            this.name = name;
            this.firstQpn = firstQpn;
            this.addresses = addresses;
            transport = network.attach(addresses);
        }

        TestContext context() {
            return contexts.getLast();
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public boolean carries(PortSpace space) {
            return spaces.contains(space);
        }

        private boolean loopback() {
            return addresses.getFirst().isLoopbackAddress();
        }

        @Override
        public boolean owns(InetAddress address) {
            return addresses.contains(address) || loopback() && address.isLoopbackAddress();
        }

        @Override
        public SoftContext open() {
            if (refuses != null) {
                throw refuses;
            }
            contexts.add(new TestContext(addresses, transport, firstQpn));
            whenOpened.accept(contexts.getLast());
            return contexts.getLast();
        }
    }

    @Override
    public List<CmDevice> devices() {
        return List.copyOf(devices);
    }

    @Override
    public boolean has(InetAddress address) {
        return otherAddresses.contains(address) || devices.stream().anyMatch(device -> device.owns(address));
    }

    @Override
    public InetAddress sourceFor(InetAddress destination) {
        InetAddress source = destination.isLoopbackAddress() ? ip("127.0.0.1") : routes.get(destination);
        if (source == null) {
            throw new VerbsException(Errno.ENETUNREACH, "resolve_addr", "no route");
        }
        return source;
    }

    @Override
    public LoopbackListeners loopbackListeners() {
        return loopback;
    }

    @Override
    public boolean isFree(PortSpace space, InetSocketAddress address) {
        return !portsOfOthers.contains(address.getPort());
    }

    @Override
    public int random(int bound) {
        return random;
    }

    /** Shared by the processes of a host. */
    static final class OneProcess implements LoopbackListeners {
        private final Map<Port, InetAddress> claims = new HashMap<>();

        @Override
        public Claim claim(Port port, InetAddress own) {
            if (claims.putIfAbsent(port, own) != null) {
                throw new VerbsException(Errno.EADDRINUSE, "listen", "claimed");
            }
            return () -> claims.remove(port);
        }

        @Override
        public InetAddress find(Port port) {
            return claims.get(port);
        }
    }
}
