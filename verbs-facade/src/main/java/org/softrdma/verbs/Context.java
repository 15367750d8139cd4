// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import java.util.List;
import java.util.Map;

/**
 * An open device ({@code struct ibv_context}). Every method may be called from any thread.
 * An operation the device does not have throws EOPNOTSUPP.
 */
public interface Context extends AutoCloseable {
    RdmaDevice device();

    DeviceAttributes queryDevice();

    /**
     * @param port from 1
     * @throws VerbsException EINVAL if there is no such port
     */
    PortAttributes queryPort(int port);

    /**
     * @return the GID at {@code index}, all zero where the entry is unused
     * @throws VerbsException EINVAL if port or index are out of range
     */
    Gid queryGid(int port, int index);

    /**
     * @throws VerbsException ENODATA if the entry is unused, EINVAL if port or index are out of range
     */
    GidEntry queryGidEntry(int port, int index);

    /** The used entries of all ports, by port and index. */
    List<GidEntry> queryGidTable();

    /** The P_Key at {@code index}, host order; EINVAL beyond the table. */
    int queryPkey(int port, int index);

    /** Counters by name, the kernel's names first ({@code sent_pkts}, …), in a fixed order. */
    Map<String, Long> counters();

    /** The device's clock now, nanoseconds, that {@link CompletionReader#timestampNs} is on: {@link System#nanoTime}'s on a real device. */
    default long rawClockNs() {
        throw VerbsException.unsupported("query_rt_values_ex");
    }

    ProtectionDomain allocatePd();

    CompletionChannel createCompletionChannel();

    /**
     * Creates a completion queue.
     *
     * @param cqe        completions it must hold, 1..{@link DeviceAttributes#maxCqe()}
     * @param cqContext  anything, handed back by {@link CompletionQueue#context()}; may be null
     * @param channel    where its events go; null for none
     * @param compVector 0..{@link DeviceAttributes#numCompVectors()}-1
     * @throws VerbsException EINVAL
     */
    CompletionQueue createCq(int cqe, Object cqContext, CompletionChannel channel, int compVector);

    /** A completion queue without channel. */
    default CompletionQueue createCq(int cqe) {
        return createCq(cqe, null, null, 0);
    }

    /**
     * Waits for the next asynchronous event and hands it over; every event must be {@link AsyncEvent#ack acknowledged}.
     *
     * @param timeoutNs nanoseconds to wait, 0 to look only, negative for ever
     * @return null when the time is over
     * @throws VerbsException EINTR if the thread is interrupted
     */
    AsyncEvent getAsyncEvent(long timeoutNs);

    /**
     * Closes the context.
     *
     * @throws VerbsException EBUSY, naming what still lives: queue pairs, completion queues, protection domains, channels
     */
    @Override
    void close();
}
