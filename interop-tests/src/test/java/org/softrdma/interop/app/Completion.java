// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop.app;

import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;

/**
 * A completion polled from a completion queue, on either side.
 *
 * @param immediate four bytes in wire order
 * @param key       key that a SEND invalidated
 * @param flags     bits of {@link WcFlags}
 * @param sourceQpn queue pair that sent a datagram
 */
record Completion(long wrId, WcStatus status, WcOpcode opcode, int bytes, int immediate, int key, int flags, int sourceQpn) {
    Completion expect(long expectedWrId, WcOpcode expectedOpcode) {
        expect(expectedWrId, WcStatus.SUCCESS);
        if (opcode != expectedOpcode) {
            throw new AssertionError("expected opcode " + expectedOpcode + ", got " + this);
        }
        return this;
    }

    Completion expect(long expectedWrId, WcStatus expectedStatus) {
        if (wrId != expectedWrId || status != expectedStatus) {
            throw new AssertionError("expected wr_id " + expectedWrId + " " + expectedStatus + ", got " + this);
        }
        return this;
    }

    Completion expectBytes(int expected) {
        if (bytes != expected) {
            throw new AssertionError("expected " + expected + " bytes, got " + this);
        }
        return this;
    }

    Completion expectFrom(int qpn) {
        if (sourceQpn != qpn || (flags & WcFlags.GRH) == 0) {
            throw new AssertionError("expected a datagram of 0x" + Integer.toHexString(qpn) + " with its header, got " + this);
        }
        return this;
    }

    Completion expectImmediate(int expected) {
        if (immediate != expected || (flags & WcFlags.WITH_IMM) == 0) {
            throw new AssertionError("expected immediate 0x" + Integer.toHexString(expected) + ", got " + this);
        }
        return this;
    }
}
