// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link;

import java.util.List;
import java.util.Map;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.VerbsException;

/**
 * Carries packets in batches, both ways. Links are interchangeable (UDP sockets, raw frames, the simulated fabric) and stackable
 * (capture, faults). {@link #send}, {@link #poll} and {@link #await} are called by the device's owner only; {@link #wakeup} by anyone.
 */
public interface Link extends AutoCloseable {
    /** The addresses packets can be sent from and received at now. */
    List<Gid> addresses();

    /** The RoCE versions it carries, in the order in which the GID table lists them. */
    default List<GidType> types() {
        return List.of(GidType.ROCE_V2);
    }

    /** Whether packets of that version can be sent from that address now, and received at it. */
    default boolean has(GidType type, Gid address) {
        return types().contains(type) && addresses().contains(address);
    }

    /**
     * The interface has one more address: it is one of {@link #addresses()} from now on. For the owner. One that was there before comes
     * back with the paths that had been resolved from it.
     *
     * @throws VerbsException EADDRNOTAVAIL: the host does not let it be used, perhaps not yet; EADDRINUSE; others of the host
     */
    default void addAddress(Gid address) {
        throw VerbsException.unsupported("add_address");
    }

    /**
     * The interface lost an address: no path can be resolved from it any more. Paths that were stay, and lead nowhere until it is back.
     * For the owner.
     */
    default void removeAddress(Gid address) {
        throw VerbsException.unsupported("remove_address");
    }

    /**
     * Looks at what changed around the link, in the host's tables and its interface: from time to time, for the owner.
     *
     * @param interfaceIndex what the interface has now; another one than before if it was deleted and made again
     */
    default void refresh(int interfaceIndex) {
    }

    /** Whether the host took a socket away from the link: nothing will go in or out by it any more. For the owner. */
    default boolean isBroken() {
        return false;
    }

    /** Whether received frames carry the IPv4 identification, so that their ICRC can be checked directly. */
    boolean deliversIpHeader();

    /** One line for people: which kind of link, which offloads. */
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
     * Waits, for a few seconds at most, until the host knows how to reach a peer on the wire, so that the path's first packet need not
     * wait. Any thread but the owner. Links whose host does that by itself have nothing to wait for.
     *
     * @throws VerbsException EHOSTUNREACH: the peer, or the router before it, does not answer
     */
    default void awaitReachable(GidType type, Gid local, Gid remote) {
    }

    /**
     * Makes the host a member of a multicast group: packets to it are received from now on, with the group as {@link ReceivedFrame#local}.
     * Those that go out from this host come back, as the host's IP stack does it, to every member on it. For the owner; once per group.
     *
     * @throws VerbsException EADDRNOTAVAIL: the link has no address of that IP version; ENOMEM: the host has no more
     *     memberships; ENODEV; others of the host
     */
    void join(Gid group);

    /** Ends what {@link #join} began; for the owner. */
    void leave(Gid group);

    /**
     * Sends packets from the front of the batch and marks them {@link TransmitBatch#sent sent}. What a full socket buffer does not take
     * stays in the batch for the next call. A packet the host refuses for good (no route, too long) is counted and dropped, as a wire
     * would lose it.
     *
     * @return packets sent or dropped
     */
    int send(TransmitBatch batch);

    /**
     * Hands received packets to {@code handler}: up to {@code limit}, and then the rest of a train that was received as one.
     *
     * @return how many
     */
    int poll(FrameHandler handler, int limit);

    /** When {@link #poll} must be called next even if nothing comes: packets are held back until then. {@link Long#MAX_VALUE} for never. */
    default long deadlineNs() {
        return Long.MAX_VALUE;
    }

    /**
     * Parks until a packet may have come, there may be room for what the last {@link #send} left, {@link #wakeup} was called (even
     * before), or the time is over.
     */
    void await(long timeoutNs);

    /** Ends the current or next {@link #await}. Any thread. */
    void wakeup();

    /** Packets the host refused to send. */
    long sendErrors();

    /** What the link itself counts, by name, beyond {@link #sendErrors}; for the owner. */
    default Map<String, Long> counters() {
        return Map.of();
    }

    @Override
    void close();
}
