// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** An asynchronous event. Source: {@code struct ibv_async_event} of {@code infiniband/verbs.h}. */
public final class IbvAsyncEvent {
    /** Size in bytes. */
    public static final int BYTES = 16;
    public static final Pointer ELEMENT = new Pointer(0);
    /** {@code element.port_num}. */
    public static final U32 PORT_NUM = new U32(0);
    public static final U32 EVENT_TYPE = new U32(8);

    private IbvAsyncEvent() {
    }
}
