// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.net;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.fabric.ipoib.Prefix;
import org.softrdma.linux.process.EpollSet;
import org.softrdma.linux.process.InterfaceChanges;
import org.softrdma.linux.process.TunInterface;
import org.softrdma.verbs.Gid;

/**
 * The host's IP stack, by a TUN interface, which has the addresses that its user gives it with {@code ip addr add}. Linux.
 */
public final class TunEnd implements IpEnd {
    private static final int LONGEST_PACKET = 65_535;
    private static final long PACKET = 1;
    private static final long CHANGE = 2;

    private final TunInterface tun;
    private final InterfaceChanges changes;
    private final EpollSet ready = new EpollSet();
    /** A packet that the host receives. */
    private final MemorySegment received = Arena.ofAuto().allocate(LONGEST_PACKET);
    private List<Prefix> addresses = List.of();
    private volatile boolean closed;

    /**
     * Makes the interface, or takes one that was made beforehand.
     *
     * @param name of the interface
     * @throws org.softrdma.verbs.VerbsException as {@link TunInterface}
     */
    public TunEnd(String name) {
        tun = new TunInterface(name);
        tun.setLinkType(TunInterface.INFINIBAND);
        changes = new InterfaceChanges();
        ready.add(tun.fd(), EpollSet.READABLE, PACKET);
        ready.add(changes.fd(), EpollSet.READABLE, CHANGE);
    }

    @Override
    public void run(Sender sender) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment packet = arena.allocate(LONGEST_PACKET);
            ByteBuffer bytes = packet.asByteBuffer();
            look(sender);
            while (!closed) {
                int count = ready.await(-1);
                for (int i = 0; i < count; i++) {
                    if (ready.key(i) == CHANGE) {
                        changes.drain();
                        look(sender);
                    }
                }
                for (int length = tun.read(packet); length > 0; length = tun.read(packet)) {
                    sender.send(bytes, length);
                }
            }
        } finally {
            ready.close();
            changes.close();
            tun.close();
        }
    }

    private void look(Sender sender) {
        List<Prefix> now = new ArrayList<>();
        try {
            NetworkInterface found = NetworkInterface.getByName(tun.name());
            for (InterfaceAddress each : found == null ? List.<InterfaceAddress>of() : found.getInterfaceAddresses()) {
                now.add(new Prefix(Gid.of(withoutScope(each.getAddress())), each.getNetworkPrefixLength()));
            }
        } catch (SocketException gone) {
            now.clear();
        }
        if (!now.equals(addresses)) {
            addresses = now;
            sender.onAddresses(now);
        }
    }

    private static InetAddress withoutScope(InetAddress address) {
        try {
            return InetAddress.getByAddress(address.getAddress());
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Override
    public void onUp(int mtu) {
        tun.setMtu(mtu);
    }

    @Override
    public synchronized void receive(ByteBuffer packet) {
        MemorySegment.copy(MemorySegment.ofBuffer(packet), 0, received, 0, packet.capacity());
        tun.write(received, packet.capacity());
    }

    @Override
    public void close() {
        closed = true;
        ready.wakeUp();
    }
}
