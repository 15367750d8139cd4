// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import org.softrdma.device.verbs.SoftContext;
import org.softrdma.host.config.NetDevice;
import org.softrdma.host.config.StateDirectory;
import org.softrdma.host.loopback.LoopbackFiles;
import org.softrdma.host.loopback.LoopbackListeners;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Transport;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.PortSpace;

/** The local host: its routing table, queried by connecting a socket that never sends, and the devices of all providers. */
final class SystemHost implements CmHost {
    /** Destination port of routing table queries; the value, RoCE's port, has no influence. */
    private static final int SOME_PORT = 4791;
    /** Time for which the list of configured devices is used again; reading it takes a millisecond. */
    private static final long FRESH_NS = 100_000_000;

    private final DeviceChoice choice = DeviceChoice.ofUser();
    private List<AddressedDevice> addressed;
    private long addressedNs;
    private final LoopbackListeners loopback = new LoopbackFiles(StateDirectory.ofUser());

    @Override
    public List<CmDevice> devices() {
        List<CmDevice> devices = new ArrayList<>();
        for (RdmaDevice device : choice.of(Verbs.devices(Verbs.SOFTRDMA))) {
            if (device instanceof AddressedDevice addressed) {
                if (!addressed.addresses().isEmpty()) {
                    devices.add(new SystemDevice(device, addressed.addresses(), false));
                }
                continue;
            }
            NetDevice netdev = NetDevice.find(device.netdev());
            if (netdev != null) {
                devices.add(new SystemDevice(device, netdev.addresses(), netdev.loopback()));
            }
        }
        return devices;
    }

    /** Devices with addresses of their own; every connection needs them, so that they are looked up only now and then. */
    private synchronized List<AddressedDevice> addressedDevices() {
        long nowNs = System.nanoTime();
        if (addressed == null || nowNs - addressedNs > FRESH_NS) {
            addressed = choice.of(Verbs.devices(Verbs.SOFTRDMA)).stream().filter(AddressedDevice.class::isInstance)
                .map(AddressedDevice.class::cast).toList();
            addressedNs = nowNs;
        }
        return addressed;
    }

    private record SystemDevice(RdmaDevice device, List<InetAddress> addresses, boolean loopback) implements CmDevice {
        @Override
        public String name() {
            return device.name();
        }

        @Override
        public boolean carries(PortSpace space) {
            return device.transport() != Transport.IWARP || space == PortSpace.TCP;
        }

        @Override
        public boolean owns(InetAddress address) {
            return addresses.contains(address) || loopback && address.isLoopbackAddress();
        }

        @Override
        public SoftContext open() {
            Context context = device.open();
            if (context instanceof SoftContext soft) {
                return soft;
            }
            context.close();
            throw new VerbsException(Errno.EOPNOTSUPP, "open_device", device.name() + " is not a soft device");
        }
    }

    @Override
    public boolean has(InetAddress address) {
        try {
            return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null
                || addressedDevices().stream().anyMatch(device -> device.addresses().contains(address));
        } catch (SocketException refused) {
            throw new VerbsException(Errno.EIO, "bind_addr", "cannot list the network interfaces: " + refused.getMessage(),
                refused);
        }
    }

    @Override
    public InetAddress sourceFor(InetAddress destination) {
        InetAddress own = AddressedSources.sourceFor(destination, addressedDevices());
        if (own != null) {
            return own;
        }
        try (DatagramSocket socket = new DatagramSocket(null)) {
            socket.connect(new InetSocketAddress(destination, SOME_PORT));
            return socket.getLocalAddress();
        } catch (UncheckedIOException | IOException refused) {
            String reason = String.valueOf(refused.getMessage());
            Errno errno = reason.toLowerCase(Locale.ROOT).contains("network is unreachable") ? Errno.ENETUNREACH : Errno.EHOSTUNREACH;
            throw new VerbsException(errno, "resolve_addr", "no route to " + destination.getHostAddress() + ": " + reason, refused);
        }
    }

    @Override
    public LoopbackListeners loopbackListeners() {
        return loopback;
    }

    @Override
    public boolean isFree(PortSpace space, InetSocketAddress address) {
        return HostPorts.isFree(space, address);
    }

    @Override
    public int random(int bound) {
        return ThreadLocalRandom.current().nextInt(bound);
    }
}
