// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import org.softrdma.abi.AbiLayout;
import org.softrdma.abi.uverbs.AsyncEventRecord;
import org.softrdma.linux.process.EventReader;
import org.softrdma.verbs.AsyncEvent;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Asynchronous events of a context. Threads wait without a lock. */
final class JoinedEvents implements AutoCloseable {
    private static final String VERB = "get_async_event";

    private final JoinedContext context;
    private final EventReader reader;

    JoinedEvents(JoinedContext context, EventReader reader) {
        this.context = context;
        this.reader = reader;
    }

    /** As {@link org.softrdma.verbs.Context#getAsyncEvent}. An event of an object that was closed meanwhile is dropped. */
    AsyncEvent next(long timeoutNs) {
        long untilNs = System.nanoTime() + Math.max(0, timeoutNs);
        MemorySegment record = Arena.ofAuto().allocate(AsyncEventRecord.BYTES, Long.BYTES);
        long leftNs = timeoutNs;
        while (reader.read(record, leftNs, VERB)) {
            AsyncEvent event = event(record.get(AbiLayout.U64, 0), AsyncEventType.of(record.get(AbiLayout.U32, Long.BYTES)));
            if (event != null) {
                return event;
            }
            leftNs = timeoutNs < 0 ? timeoutNs : Math.max(0, untilNs - System.nanoTime());
        }
        return null;
    }

    /** Whether the daemon has closed the file of events: it has ended, or the device was deleted. */
    boolean haveEnded() {
        return reader.hasEnded();
    }

    private AsyncEvent event(long element, AsyncEventType type) {
        if (type == null) {
            return null;
        }
        if (!isOfObject(type)) {
            return new Received(type, null, type == AsyncEventType.DEVICE_FATAL ? 0 : (int) element);
        }
        JoinedObject object = context.object(element);
        if (object == null) {
            return null;
        }
        object.delivered();
        return new Received(type, object, 0);
    }

    private static boolean isOfObject(AsyncEventType type) {
        return switch (type) {
            case DEVICE_FATAL, PORT_ACTIVE, PORT_ERR, LID_CHANGE, PKEY_CHANGE, SM_CHANGE, CLIENT_REREGISTER, GID_CHANGE -> false;
            default -> true;
        };
    }

    @Override
    public void close() {
        reader.close();
    }

    private record Received(AsyncEventType type, JoinedObject element, int port, AtomicBoolean acknowledged) implements AsyncEvent {
        Received(AsyncEventType type, JoinedObject element, int port) {
            this(type, element, port, new AtomicBoolean());
        }

        @Override
        public void ack() {
            if (!acknowledged.compareAndSet(false, true)) {
                throw new VerbsException(Errno.EINVAL, "ack_async_event", "the event was acknowledged before");
            }
            if (element != null) {
                element.acknowledge(1, "ack_async_event");
            }
        }

        @Override
        public String toString() {
            return type + (element == null ? " of port " + port : " of " + element);
        }
    }
}
