// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import java.util.List;

/**
 * A queue pair. Any thread may call any method; posts of several threads to one queue are serialized.
 */
public interface QueuePair extends AutoCloseable {
    ProtectionDomain pd();

    /** 24 bits. */
    int qpNum();

    QpType type();

    /** The state now; a failed work request can change it at any time. */
    QpState state();

    /** What was granted: at least what was asked. */
    QpCapabilities capabilities();

    /**
     * Moves the queue pair to another state or changes attributes, after the table of {@link QpTransitions}.
     *
     * @throws VerbsException EINVAL, naming the attribute; the queue pair is then unchanged. EHOSTUNREACH, ENETUNREACH: no way to the peer
     */
    void modify(QpAttributes attributes);

    /** Everything known, PSNs being the current ones. */
    QpAttributes query();

    /**
     * Posts one send work request. All of {@code request} is copied; what its elements name belongs to the device until completion.
     * In ERR it is accepted and flushed.
     *
     * @throws VerbsException EINVAL: state below RTS, wrong opcode for the service, too many elements, inline beyond
     *     {@link QpCapabilities#maxInlineData()}; ENOMEM: the queue is full
     */
    void postSend(SendRequest request);

    /** Posts in order until one is refused: {@link BadWorkRequestException} names it, and those before it are posted. */
    default void postSend(List<SendRequest> requests) {
        for (int i = 0; i < requests.size(); i++) {
            try {
                postSend(requests.get(i));
            } catch (VerbsException refused) {
                throw new BadWorkRequestException(refused, i);
            }
        }
    }

    /**
     * Posts one receive work request, from INIT on. In ERR it is accepted and flushed.
     *
     * @throws VerbsException EINVAL: RESET, too many elements, or receives come from a {@link SharedReceiveQueue}; ENOMEM: the queue is
     *     full
     */
    void postReceive(ReceiveRequest request);

    /** Posts in order until one is refused: {@link BadWorkRequestException} names it, and those before it are posted. */
    default void postReceive(List<ReceiveRequest> requests) {
        for (int i = 0; i < requests.size(); i++) {
            try {
                postReceive(requests.get(i));
            } catch (VerbsException refused) {
                throw new BadWorkRequestException(refused, i);
            }
        }
    }

    /** Binds a type 1 window ({@code bind_mw}). */
    default void bind(MemoryWindow window, long wrId, MemoryRegion region, long address, long length, int access, int sendFlags) {
        throw VerbsException.unsupported("bind_mw");
    }

    default void attachMulticast(Gid group) {
        throw VerbsException.unsupported("attach_mcast");
    }

    default void detachMulticast(Gid group) {
        throw VerbsException.unsupported("detach_mcast");
    }

    /** Destroys the queue pair; waits until its asynchronous events are acknowledged. Outstanding work requests do not complete. */
    @Override
    void close();
}
