// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.softrdma.libibverbs.layout.RdmaCmEvent;
import org.softrdma.libibverbs.layout.RdmaEventChannel;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.EventChannel;

/** {@code struct rdma_event_channel}. Threads wait for its descriptor without a lock. */
final class NativeEventChannel implements EventChannel {
    private static final ThreadLocal<MemorySegment> POINTER = ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(Long.BYTES, 8));

    private final int fd;
    /** Identifiers by their address in C: events name them so. */
    private final Map<Long, NativeCmId> identifiers = new ConcurrentHashMap<>();
    private volatile long address;

    NativeEventChannel(long address) {
        this.address = address;
        fd = RdmaEventChannel.FD.get(NativeMemory.ALL, address);
        Descriptors.setNonBlocking(fd);
    }

    /** Checks that a channel is of this provider; null for none. */
    static NativeEventChannel own(EventChannel channel) {
        if (channel != null && !(channel instanceof NativeEventChannel)) {
            throw new VerbsException(Errno.EINVAL, "create_id", "the event channel belongs to another provider");
        }
        return (NativeEventChannel) channel;
    }

    long address(String verb) {
        long now = address;
        if (now == 0) {
            throw new VerbsException(Errno.EINVAL, verb, "the event channel is closed");
        }
        return now;
    }

    void add(long id, NativeCmId identifier) {
        identifiers.put(id, identifier);
    }

    void remove(long id, NativeCmId identifier) {
        identifiers.remove(id, identifier);
    }

    @Override
    public CmEvent getEvent(long timeoutNs) {
        address("get_cm_event");
        MemorySegment found = POINTER.get();
        return Descriptors.receive(fd, timeoutNs, "get_cm_event",
            () -> Librdmacm.GET_CM_EVENT.call(address("get_cm_event"), found.address())) ? received(found.get(JAVA_LONG, 0)) : null;
    }

    private NativeCmEvent received(long event) {
        NativeCmId listener = identifiers.get(RdmaCmEvent.LISTEN_ID.get(NativeMemory.ALL, event));
        long id = RdmaCmEvent.ID.get(NativeMemory.ALL, event);
        boolean isRequest = RdmaCmEvent.EVENT.get(NativeMemory.ALL, event) == CmEventType.CONNECT_REQUEST.value();
        // A request has a new identifier, perhaps at the address of one that is just being closed.
        return new NativeCmEvent(event, isRequest && listener != null ? listener.requested(id) : identifiers.get(id), listener);
    }

    @Override
    public synchronized void close() {
        if (address == 0) {
            return;
        }
        if (!identifiers.isEmpty()) {
            throw new VerbsException(Errno.EBUSY, "destroy_event_channel", "identifiers=" + identifiers.size());
        }
        Librdmacm.DESTROY_EVENT_CHANNEL.call(address);
        address = 0;
    }
}
