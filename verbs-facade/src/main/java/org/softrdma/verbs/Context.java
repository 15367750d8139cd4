// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import java.util.List;
import java.util.Map;

/**
 * An open device ({@code struct ibv_context}). Every method may be called from any thread.
 * An operation that the device does not support throws EOPNOTSUPP.
 */
public interface Context extends AutoCloseable {
    /** {@return the device that was opened} */
    RdmaDevice device();

    /** {@return identity and limits of the device} */
    DeviceAttributes queryDevice();

    /**
     * Queries a port.
     *
     * @param port from 1
     * @return its state and properties now
     * @throws VerbsException EINVAL if there is no such port
     */
    PortAttributes queryPort(int port);

    /**
     * Queries an entry of the GID table.
     *
     * @param port  from 1
     * @param index from 0, below {@link PortAttributes#gidTblLen}
     * @return the GID, all zero where the entry is unused
     * @throws VerbsException EINVAL if port or index are out of range
     */
    Gid queryGid(int port, int index);

    /**
     * Queries an entry of the GID table with its type and interface.
     *
     * @param port  from 1
     * @param index from 0, below {@link PortAttributes#gidTblLen}
     * @return the entry
     * @throws VerbsException ENODATA if the entry is unused, EINVAL if port or index are out of range
     */
    GidEntry queryGidEntry(int port, int index);

    /** {@return the used entries of all ports, by port and index} */
    List<GidEntry> queryGidTable();

    /**
     * Queries an entry of the P_Key table.
     *
     * @param port  from 1
     * @param index from 0, below {@link PortAttributes#pkeyTblLen}
     * @return the P_Key, u16, host order
     * @throws VerbsException EINVAL if port or index are out of range
     */
    int queryPkey(int port, int index);

    /**
     * Finds a P_Key in the port's table ({@code get_pkey_index}).
     *
     * @param port from 1
     * @param pkey host order
     * @return its index, or -1 if the table does not contain it
     * @throws VerbsException EINVAL if there is no such port
     */
    default int pkeyIndex(int port, int pkey) {
        int entries = queryPort(port).pkeyTblLen();
        for (int index = 0; index < entries; index++) {
            if (queryPkey(port, index) == pkey) {
                return index;
            }
        }
        return -1;
    }

    /** {@return counters by name, the kernel's names first ({@code sent_pkts}, …), in a fixed order} */
    Map<String, Long> counters();

    /**
     * {@return the time of the device's clock, which {@link CompletionReader#timestampNs} uses: {@link System#nanoTime} on a real device}
     */
    default long rawClockNs() {
        throw VerbsException.unsupported("query_rt_values_ex");
    }

    /**
     * Allocates a protection domain.
     *
     * @return the domain, to be closed
     * @throws VerbsException ENOMEM: the device has {@link DeviceAttributes#maxPd()} already
     */
    ProtectionDomain allocatePd();

    /**
     * Allocates a thread domain for {@link #allocateParentDomain}: a promise that one thread at a time uses the objects made with it.
     *
     * @return the domain, to be closed
     */
    default ThreadDomain allocateTd() {
        throw VerbsException.unsupported("alloc_td");
    }

    /**
     * Allocates a protection domain that shares the keys of {@code pd} and can be used wherever a protection domain can: objects made with
     * it work together with those of {@code pd}. Its queues are in the device's own memory; allocators are not supported. Neither
     * {@code pd} nor {@code td} can be closed before it.
     *
     * @param pd must not be a parent domain itself
     * @param td null for none. A promise to the device, which may omit locks because of it
     * @return the domain, to be closed
     * @throws VerbsException EINVAL: one of them is closed or of another context, or {@code pd} is a parent domain
     */
    default ProtectionDomain allocateParentDomain(ProtectionDomain pd, ThreadDomain td) {
        throw VerbsException.unsupported("alloc_parent_domain");
    }

    /**
     * Creates a channel, on which completion queues announce completions.
     *
     * @return the channel, to be closed
     * @throws VerbsException EMFILE: no file descriptor is left
     */
    CompletionChannel createCompletionChannel();

    /**
     * Opens an XRC domain, or creates one.
     *
     * @param name  name under which others in this process open it; null for a private domain, which needs CREATE
     * @param flags bits of {@link XrcDomain#CREATE} and {@link XrcDomain#EXCLUSIVE}
     * @return the domain, to be closed
     * @throws VerbsException EINVAL: unknown flags, no name and no CREATE, or EXCLUSIVE and it exists; EAGAIN: it does not exist, and
     *     CREATE is not among the flags; ENOMEM: no free domain
     */
    default XrcDomain openXrcd(String name, int flags) {
        throw VerbsException.unsupported("open_xrcd");
    }

    /**
     * Opens an agent for the management datagrams of one class. The device itself handles those of communication management.
     *
     * @param managementClass class of a vendor or an application: 0x09..0x4f; on an InfiniBand subnet also 0x03, for a client of subnet
     *     administration
     * @return the agent, to be closed
     * @throws VerbsException EINVAL: another class; EBUSY: another agent of this process has it
     */
    default MadAgent openMadAgent(int managementClass) {
        throw VerbsException.unsupported("open_mad_agent");
    }

    /**
     * Creates a completion queue.
     *
     * @param cqe        completions it must hold, 1..{@link DeviceAttributes#maxCqe()}
     * @param cqContext  any object, returned by {@link CompletionQueue#context()}; may be null
     * @param channel    channel for its events; null for none
     * @param compVector 0..{@link DeviceAttributes#numCompVectors()}-1
     * @return the queue, to be closed
     * @throws VerbsException EINVAL
     */
    CompletionQueue createCq(int cqe, Object cqContext, CompletionChannel channel, int compVector);

    /**
     * Creates a completion queue of a parent domain, which cannot be closed before the queue.
     *
     * @param cqe          completions it must hold
     * @param cqContext    any object; may be null
     * @param channel      channel for its events; null for none
     * @param compVector   0..{@link DeviceAttributes#numCompVectors()}-1
     * @param parentDomain from {@link #allocateParentDomain} of this context
     * @return the queue, to be closed
     * @throws VerbsException EINVAL: also if {@code parentDomain} is not a parent domain, closed, or of another context
     */
    default CompletionQueue createCq(int cqe, Object cqContext, CompletionChannel channel, int compVector, ProtectionDomain parentDomain) {
        throw VerbsException.unsupported("create_cq_ex");
    }

    /**
     * Creates a completion queue without a channel.
     *
     * @param cqe completions it must hold, 1..{@link DeviceAttributes#maxCqe()}
     * @return the queue, to be closed
     * @throws VerbsException EINVAL
     */
    default CompletionQueue createCq(int cqe) {
        return createCq(cqe, null, null, 0);
    }

    /**
     * Waits for the next asynchronous event; every event must be {@link AsyncEvent#ack acknowledged}.
     *
     * @param timeoutNs nanoseconds to wait, 0 to return at once, negative for no limit
     * @return the event; null on timeout
     * @throws VerbsException EINTR if the thread is interrupted
     */
    AsyncEvent getAsyncEvent(long timeoutNs);

    /**
     * Closes the context.
     *
     * @throws VerbsException EBUSY, naming the objects that still exist: queue pairs, completion queues, protection domains, channels
     */
    @Override
    void close();
}
