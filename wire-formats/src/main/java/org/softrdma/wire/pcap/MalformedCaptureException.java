// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.pcap;

/** A capture file does not hold together; nothing after {@link #offset()} can be read. */
public final class MalformedCaptureException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Offset of the block or option in the capture. */
    private final int offset;

    MalformedCaptureException(int offset, String what) {
        super("pcapng: " + what + " at offset " + offset);
        this.offset = offset;
    }

    /** {@return where the broken block or option starts, in the buffer's own offsets} */
    public int offset() {
        return offset;
    }
}
