// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.rings;

/** Operations in libsiw's records. Source: {@code enum siw_opcode}. */
public final class SiwOpcode {
    /** RDMA WRITE. */
    public static final int WRITE = 0;
    /** RDMA READ. */
    public static final int READ = 1;
    /** RDMA READ whose completion invalidates the key of its sink. */
    public static final int READ_LOCAL_INV = 2;
    /** SEND. */
    public static final int SEND = 3;
    /** SEND with immediate data, which libsiw refuses. */
    public static final int SEND_WITH_IMM = 4;
    /** SEND that invalidates a key of the receiver. */
    public static final int SEND_REMOTE_INV = 5;
    /** Atomic, which libsiw refuses. */
    public static final int FETCH_AND_ADD = 6;
    /** Atomic, which libsiw refuses. */
    public static final int COMP_AND_SWAP = 7;
    /** Completion of a receive. */
    public static final int RECEIVE = 8;
    /** Answer to a READ, in the kernel's own queues. */
    public static final int READ_RESPONSE = 9;
    /** Invalidation of an own key, in the kernel's own queues. */
    public static final int INVAL_STAG = 10;
    /** Fast registration, in the kernel's own queues. */
    public static final int REG_MR = 11;

    private SiwOpcode() {
    }
}
