// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.rings;

/** Flags of libsiw's records: they say whose a slot is, and what a send is like. Source: {@code enum siw_wqe_flags}. */
public final class SiwFlags {
    /** The slot is filled: by the program for the device, in the completion ring by the device for the program. */
    public static final int VALID = 1;
    /** The data stands in the record, behind the first element. */
    public static final int INLINE = 1 << 1;
    /** The send completes. */
    public static final int SIGNALLED = 1 << 2;
    /** The receiver gets a solicited event. */
    public static final int SOLICITED = 1 << 3;
    /** The send waits for the READs before it. */
    public static final int READ_FENCE = 1 << 4;
    /** In a completion: {@link SiwCompletion#invalStag} was invalidated. */
    public static final int REM_INVAL = 1 << 5;
    /** The work request is done, in the kernel's own queues. */
    public static final int COMPLETED = 1 << 6;

    private SiwFlags() {
    }
}
