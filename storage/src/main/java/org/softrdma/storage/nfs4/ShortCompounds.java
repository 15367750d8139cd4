// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4;

import org.softrdma.storage.rpc.RpcProgram;
import org.softrdma.storage.xdr.XdrReader;

/**
 * Tells the calls that clients make for each piece of a file from others: SEQUENCE, PUTFH, then READ, WRITE, GETATTR or ACCESS, and at the
 * end perhaps another GETATTR. Source: RFC 8881, sections 18.46, 18.19, 18.22, 18.32.
 */
final class ShortCompounds {
    private static final int MAX_TAG = 1024;
    private static final int MAX_HANDLE = 128;
    private static final int SEQUENCE_BYTES = 32;
    private static final int STATE_BYTES = 16;
    private static final int UNSTABLE = 0;
    /** Operations of the longest such call. */
    private static final int LONGEST = 4;

    private ShortCompounds() {
    }

    /** @param arguments of COMPOUND, untrusted */
    static boolean isShort(XdrReader arguments) {
        arguments.opaque(MAX_TAG);
        arguments.u32();
        int operations = arguments.u32();
        if (operations < LONGEST - 1 || operations > LONGEST || arguments.u32() != Operation.SEQUENCE.number) {
            return false;
        }
        arguments.fixed(SEQUENCE_BYTES);
        if (arguments.u32() != Operation.PUTFH.number) {
            return false;
        }
        arguments.opaque(MAX_HANDLE);
        Operation third = Operation.of(arguments.u32());
        return third != null && takesLittle(third, arguments) && (operations < LONGEST || arguments.u32() == Operation.GETATTR.number);
    }

    /** Reads the arguments of the third operation. */
    private static boolean takesLittle(Operation operation, XdrReader arguments) {
        switch (operation) {
            case READ -> {
                arguments.fixed(STATE_BYTES);
                arguments.u64();
                return Integer.compareUnsigned(arguments.u32(), RpcProgram.SHORT_DATA) <= 0;
            }
            case WRITE -> {
                arguments.fixed(STATE_BYTES);
                arguments.u64();
                boolean isUnstable = arguments.u32() == UNSTABLE;
                return arguments.opaque(Nfs4Program.MAX_DATA).remaining() <= RpcProgram.SHORT_DATA && isUnstable;
            }
            case ACCESS -> {
                arguments.u32();
                return true;
            }
            case GETATTR -> {
                arguments.skipWords(MAX_TAG);
                return true;
            }
            default -> {
                return false;
            }
        }
    }
}
