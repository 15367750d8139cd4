// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link;

import java.util.List;
import java.util.Map;
import org.softrdma.device.agent.Deadline;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.VerbsException;

/**
 * Carries packets in batches, both ways. Links are interchangeable (UDP sockets, raw frames, the simulated fabric) and stackable
 * (capture, faults: {@link ForwardingLink}). {@link #send}, {@link #poll} and {@link #await} are called by the device's owner only;
 * {@link #wakeup} by any thread.
 */
public interface Link extends AutoCloseable {
    /** Addresses that packets can be sent from and received at now. Any thread. */
    List<Gid> addresses();

    /** The port of an InfiniBand subnet that the link is behind, as it is now; null for a link on Ethernet. Any thread. */
    default SubnetPort subnetPort() {
        return null;
    }

    /** RoCE versions of the link, in the order in which the GID table lists them; {@link GidType#IB} alone on an InfiniBand subnet. */
    default List<GidType> types() {
        return List.of(GidType.ROCE_V2);
    }

    /**
     * Looks whether packets can be sent from an address now, and received at it.
     *
     * @param type    one of {@link #types()}
     * @param address of this host
     * @return whether the link has both
     */
    default boolean has(GidType type, Gid address) {
        return types().contains(type) && addresses().contains(address);
    }

    /**
     * Adds an address that the interface got to {@link #addresses()}. For the owner. Paths that were resolved from it before it was
     * removed work again.
     *
     * @throws VerbsException EADDRNOTAVAIL: the host does not allow its use, perhaps not yet; EADDRINUSE; others of the host
     */
    default void addAddress(Gid address) {
        throw VerbsException.unsupported("add_address");
    }

    /**
     * Removes an address that the interface lost: no path can be resolved from it afterwards. Existing paths stay, without effect until it
     * is added again. For the owner.
     */
    default void removeAddress(Gid address) {
        throw VerbsException.unsupported("remove_address");
    }

    /**
     * Adapts the link to changes of its interface and of the host's routes and neighbours. Called after a change of an interface, and
     * otherwise as the result says; for the owner.
     *
     * @param interfaceIndex index of the interface now; it changes if the interface is deleted and created again
     * @return whether it has to be called twice a second even if no interface changes
     */
    default boolean refresh(int interfaceIndex) {
        return false;
    }

    /** Whether a socket of the link is unusable: nothing can be sent or received by it. For the owner. */
    default boolean isBroken() {
        return false;
    }

    /** Whether received frames carry the IPv4 identification, so that their ICRC can be checked directly. */
    boolean deliversIpHeader();

    /** One line for users: kind of link, offloads, addresses. */
    String description();

    /**
     * Prepares a path.
     *
     * @param request local and remote address are of the same IP version
     * @throws VerbsException EHOSTUNREACH, ENETUNREACH; EADDRNOTAVAIL: the local address is not one of {@link #addresses()}; EOPNOTSUPP:
     *     the type is not one of {@link #types()}
     */
    Path resolve(PathRequest request);

    /**
     * Waits, for a few seconds at most, until the host has the MAC address of a peer or of the router before it, so that the path's first
     * packet need not wait. Any thread but the owner. Links on sockets whose host resolves addresses itself return at once.
     *
     * @param type   version of RoCE
     * @param local  address of this host
     * @param remote address of the peer
     * @throws VerbsException EHOSTUNREACH: the peer, or the router before it, does not answer
     */
    default void awaitReachable(GidType type, Gid local, Gid remote) {
    }

    /**
     * Makes the host a member of a multicast group: packets to it are received from now on, with the group as {@link ReceivedFrame#local}.
     * Packets sent to the group from this host are also delivered to every member on it, as the host's IP stack does. For the owner; once
     * per group.
     *
     * @throws VerbsException EADDRNOTAVAIL: the link has no address of that IP version; ENOMEM: the host has no more
     *     memberships; ENODEV; others of the host
     */
    void join(Gid group);

    /** Ends the membership begun by {@link #join}; for the owner. */
    void leave(Gid group);

    /**
     * Sends packets from the front of the batch and marks them {@link TransmitBatch#sent sent}. Packets that do not fit into a full socket
     * buffer stay in the batch for the next call. A packet the host refuses permanently (no route, too long) is counted and dropped, as a
     * wire would lose it.
     *
     * @return packets sent or dropped
     */
    int send(TransmitBatch batch);

    /**
     * Delivers received packets to {@code handler}: up to {@code limit}, and then the rest of a train that was received as one.
     *
     * @return packets delivered or dropped
     */
    int poll(FrameHandler handler, int limit);

    /** {@return when {@link #poll} must be called even without input, because packets are held until then; {@link Deadline#NEVER}} */
    default long deadlineNs() {
        return Deadline.NEVER;
    }

    /**
     * Parks until a packet may have been received, there may be room for the packets that the last {@link #send} left, {@link #wakeup} was
     * called (also before this call), or the time is over.
     */
    void await(long timeoutNs);

    /** Ends the current or next {@link #await}. Any thread. */
    void wakeup();

    /**
     * Looks whether packets of a path need their ICRC now: they do unless they stay in memory, where nothing damages them and nobody sees
     * them. The answer may change at any time.
     *
     * @param path of this link
     * @return whether to compute it
     */
    default boolean needsIcrc(Path path) {
        return true;
    }

    /**
     * Payload that one packet of a path may carry however small the path MTU is, because packets of this path, both ways, never leave
     * memory. The same for both ends of the path, and for as long as it lasts.
     *
     * @param path of this link
     * @return bytes, more than any path MTU; 0 where the path MTU is the limit, as on every wire
     */
    default int payloadInMemory(Path path) {
        return 0;
    }

    /**
     * Lets input at another descriptor end {@link #await} too, until the link is closed; the caller reads that input.
     *
     * @throws org.softrdma.verbs.VerbsException EOPNOTSUPP from a link that does not wait with calls of the C library
     */
    default void alsoWakeBy(int fd) {
        throw VerbsException.unsupported("open_device");
    }

    /** Packets the host refused to send. */
    long sendErrors();

    /** {@return the counters of the link by name, besides {@link #sendErrors}; for the owner} */
    default Map<String, Long> counters() {
        return Map.of();
    }

    @Override
    void close();
}
