// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.net.InetAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.softrdma.cm.AddressedDevice;
import org.softrdma.device.verbs.RunningDevices;
import org.softrdma.host.capture.CaptureFile;
import org.softrdma.host.config.DeletionWatch;
import org.softrdma.host.config.LinkStore;
import org.softrdma.host.config.NetDevice;
import org.softrdma.host.config.OptionWatch;
import org.softrdma.link.Link;
import org.softrdma.link.SubnetPort;
import org.softrdma.link.capture.CaptureLink;
import org.softrdma.link.fault.FaultyLink;
import org.softrdma.link.fault.LinkFaults;
import org.softrdma.rxe.config.RxeLinkType;
import org.softrdma.rxe.engine.GidTable;
import org.softrdma.rxe.engine.RxeLimits;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.DeviceDescription;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.NodeType;
import org.softrdma.verbs.Transport;
import org.softrdma.verbs.VerbsException;

/**
 * A device behind a port of an InfiniBand subnet: the engines of rxe on a link with local route headers. It is started by the first context
 * opened in a process, and stopped by the last one closed. Its port's state is the subnet's: nothing is sent before a subnet manager has
 * made the port active.
 */
public final class SubnetDevice implements AddressedDevice {
    /** Bytes by which an IP MTU exceeds the payload of an InfiniBand packet on Ethernet; see {@link #netdev(SubnetPort)}. */
    private static final int BEYOND_PAYLOAD = 100;
    private static final RunningDevices<RunningRxe> RUNNING = new RunningDevices<>();

    /** The port of a subnet, in whatever way it is reached. */
    public interface Port {
        /**
         * Attaches to the port.
         *
         * @return with {@link Link#subnetPort}; one process at a time has it
         * @throws VerbsException ENODEV: there is no such subnet or port; EBUSY: another process has it
         */
        Link attach();

        /**
         * Reads the port's registers without attaching to it.
         *
         * @throws VerbsException ENODEV: there is no such subnet or port
         */
        SubnetPort read();

        /** Returns the IP addresses that connections by address use; may be empty. */
        List<InetAddress> addresses();

        /** Returns the IP address in the subnet of a destination, or null. */
        InetAddress sourceFor(InetAddress destination);

        /**
         * Starts what answers for the addresses, and finds those of peers.
         *
         * @param context of the device, closed by the caller after the resolver
         */
        SubnetResolver resolve(Context context);
    }

    private final String name;
    private final int index;
    private final LinkStore store;
    private final RxeOptions options;
    private final Port port;

    /**
     * Creates a device, not open.
     *
     * @param index   position among all devices; -1 for a device that is not configured
     * @param store   source of the faults; null if {@code options} say them
     * @param options of the device; those of Ethernet have no effect
     */
    public SubnetDevice(String name, int index, LinkStore store, RxeOptions options, Port port) {
        this.name = name;
        this.index = index;
        this.store = store;
        this.options = options;
        this.port = port;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int index() {
        return index;
    }

    /** Returns the GUID of the node; 0 while its subnet cannot be reached. */
    @Override
    public long nodeGuid() {
        try {
            return port.read().nodeGuid();
        } catch (VerbsException unreachable) {
            return 0;
        }
    }

    @Override
    public NodeType nodeType() {
        return NodeType.CA;
    }

    @Override
    public Transport transport() {
        return Transport.INFINIBAND;
    }

    /** Returns the empty name: there is no network interface without IP over InfiniBand. */
    @Override
    public String netdev() {
        return "";
    }

    @Override
    public List<InetAddress> addresses() {
        return port.addresses();
    }

    @Override
    public InetAddress sourceFor(InetAddress destination) {
        return port.sourceFor(destination);
    }

    @Override
    public Context open() {
        RxeContext context = openFreely();
        context.obey(options.limitedMemory(), options.strict());
        return context;
    }

    /** Opens a context that options for programs do not apply to. */
    private RxeContext openFreely() {
        return RUNNING.open(name, this::start, (running, whenClosed) -> new RxeContext(this, running, whenClosed));
    }

    /** Describes the device from the registers of its port; nothing is attached. */
    @Override
    public DeviceDescription describe() {
        SubnetPort now = port.read();
        return new DeviceDescription(RxeLimits.attributes(now.nodeGuid(), now.systemGuid(), now.pkeys().size()),
            RxePort.attributes(now, 0, 0), GidTable.of(now).entries());
    }

    /** The port as the parts of a device know ports: active with carrier, with an MTU that has room for the payload of its packets. */
    static NetDevice netdev(SubnetPort port) {
        boolean active = RxePort.isActive(port);
        return new NetDevice(port.name(), 0, 0, port.mtu() + BEYOND_PAYLOAD, true, active, false, List.of());
    }

    private RunningRxe start() {
        OptionWatch<LinkFaults> watch = store == null ? null : new OptionWatch<>(store, name, RxeLinkType.FAULT);
        DeletionWatch deletion = store == null ? null : new DeletionWatch(store, name);
        Link attached = port.attach();
        Path capture = CaptureFile.requested(name);
        Link used = capture == null ? attached : new CaptureLink(attached, capture);
        FaultyLink faulty = new FaultyLink(used, watch == null ? options.faults() : watch.value(), System::nanoTime);
        SubnetPort first = faulty.subnetPort();
        RunningRxe running = new RunningRxe(netdev(first), first.nodeGuid(), GidTable.of(first), faulty, 0, () -> GidType.IB,
            options.queuePairs(), new SecureRandom(), System::nanoTime, name);
        if (!port.addresses().isEmpty()) {
            running.cm().resolveBy(new SubnetResolution(port.addresses(), this::openFreely, port::resolve));
        }
        running.recordEvents(options.recordedEvents());
        running.start();
        AtomicReference<SubnetPort> last = new AtomicReference<>(first);
        running.follow("softrdma-" + name + "-watch", () -> {
            if (store != null) {
                watch.poll(running::setFaults);
                deletion.poll(running.port()::removed);
            }
            SubnetPort now = faulty.subnetPort();
            return running.subnetPortIs(last.getAndSet(now), now);
        });
        return running;
    }

    @Override
    public String toString() {
        return name;
    }
}
