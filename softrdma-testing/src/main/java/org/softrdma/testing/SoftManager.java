// SPDX-License-Identifier: Apache-2.0
package org.softrdma.testing;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import org.softrdma.cm.CmDevice;
import org.softrdma.cm.CmHost;
import org.softrdma.cm.HostPorts;
import org.softrdma.cm.SoftConnectionManager;
import org.softrdma.device.agent.VirtualTime;
import org.softrdma.device.verbs.SoftContext;
import org.softrdma.host.loopback.LoopbackListeners;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.PortSpace;

/** The connection manager of a host with one device and one address, from which every address is reached. */
final class SoftManager implements CmHost, CmDevice {
    private final TestDevice device;
    private final InetAddress address;
    private final VirtualTime time;
    private final IntUnaryOperator random;
    private final LoopbackListeners listeners = new HostListeners();
    private final ConnectionManager manager;

    /**
     * @param time   null for real time
     * @param random a number below a bound
     */
    SoftManager(TestDevice device, InetAddress address, VirtualTime time, IntUnaryOperator random) {
        this.device = device;
        this.address = address;
        this.time = time;
        this.random = random;
        manager = new SoftConnectionManager(this);
    }

    ConnectionManager manager() {
        return manager;
    }

    InetAddress address() {
        return address;
    }

    // ---- the host ----

    @Override
    public List<CmDevice> devices() {
        return List.of(this);
    }

    @Override
    public boolean has(InetAddress other) {
        return owns(other);
    }

    @Override
    public InetAddress sourceFor(InetAddress destination) {
        return address;
    }

    @Override
    public LoopbackListeners loopbackListeners() {
        return listeners;
    }

    @Override
    public boolean isFree(PortSpace space, InetSocketAddress local) {
        // On sockets, a TCP port may be that of any program. The seed may choose it again in every run.
        return time != null || HostPorts.isFree(space, local);
    }

    @Override
    public int random(int bound) {
        return random.applyAsInt(bound);
    }

    @Override
    public VirtualTime virtualTime() {
        return time;
    }

    // ---- its device ----

    @Override
    public String name() {
        return device.name();
    }

    @Override
    public boolean carries(PortSpace space) {
        return device.kind() != DeviceKind.IWARP || space == PortSpace.TCP;
    }

    @Override
    public boolean owns(InetAddress other) {
        return address.equals(other);
    }

    @Override
    public SoftContext open() {
        return device.open();
    }

    /** Listeners of this host; other hosts have 127.0.0.1 addresses of their own. */
    private static final class HostListeners implements LoopbackListeners {
        private final Map<Port, InetAddress> claimed = new HashMap<>();

        @Override
        public synchronized Claim claim(Port port, InetAddress own) {
            if (claimed.putIfAbsent(port, own) != null) {
                throw new VerbsException(Errno.EADDRINUSE, "listen", "port " + port.number() + " of " + port.space() + " has a listener");
            }
            return () -> release(port);
        }

        private synchronized void release(Port port) {
            claimed.remove(port);
        }

        @Override
        public synchronized InetAddress find(Port port) {
            return claimed.get(port);
        }
    }
}
