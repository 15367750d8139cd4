// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import org.softrdma.libibverbs.layout.IbvAsyncEvent;
import org.softrdma.verbs.AsyncEvent;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Asynchronous events of a context. Threads wait for its descriptor without a lock. */
final class AsyncEvents {
    private final NativeContext context;
    private final int fd;

    AsyncEvents(NativeContext context, int fd) {
        this.context = context;
        this.fd = fd;
        Descriptors.setNonBlocking(fd);
    }

    /** As {@link org.softrdma.verbs.Context#getAsyncEvent}. */
    AsyncEvent next(long timeoutNs) {
        // The descriptor of a closed context may be another one's by now.
        context.address("get_async_event");
        MemorySegment event = Arena.ofAuto().allocate(IbvAsyncEvent.BYTES, 8);
        return Descriptors.receive(fd, timeoutNs, "get_async_event",
            () -> Libibverbs.GET_ASYNC_EVENT.call(context.address("get_async_event"), event.address())) ? new Received(event) : null;
    }

    private final class Received implements AsyncEvent {
        private final MemorySegment event;
        private final AsyncEventType type;
        private final NativeObject element;
        private final AtomicBoolean acknowledged = new AtomicBoolean();

        Received(MemorySegment event) {
            this.event = event;
            type = AsyncEventType.of(IbvAsyncEvent.EVENT_TYPE.get(event, 0));
            element = isOfObject() ? context.object(IbvAsyncEvent.ELEMENT.get(event, 0)) : null;
            if (element != null) {
                element.delivered();
            }
        }

        private boolean isOfObject() {
            return switch (type) {
                case null -> false;
                case DEVICE_FATAL, PORT_ACTIVE, PORT_ERR, LID_CHANGE, PKEY_CHANGE, SM_CHANGE, CLIENT_REREGISTER, GID_CHANGE -> false;
                default -> true;
            };
        }

        @Override
        public AsyncEventType type() {
            return type;
        }

        @Override
        public Object element() {
            return element;
        }

        @Override
        public int port() {
            return isOfObject() || type == AsyncEventType.DEVICE_FATAL ? 0 : IbvAsyncEvent.PORT_NUM.get(event, 0);
        }

        @Override
        public void ack() {
            if (!acknowledged.compareAndSet(false, true)) {
                throw new VerbsException(Errno.EINVAL, "ack_async_event", "the event was acknowledged before");
            }
            if (element == null) {
                Libibverbs.ACK_ASYNC_EVENT.call(event.address());
            } else {
                element.acknowledge(1, "ack_async_event", () -> Libibverbs.ACK_ASYNC_EVENT.call(event.address()));
            }
        }

        @Override
        public String toString() {
            return type + (element == null ? " of port " + port() : " of " + element);
        }
    }
}
