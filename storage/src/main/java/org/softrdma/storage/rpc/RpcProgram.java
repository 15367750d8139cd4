// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.rpc;

import org.softrdma.storage.xdr.XdrReader;
import org.softrdma.storage.xdr.XdrWriter;

/** One version of a remote program. Any thread; calls run at once. */
public interface RpcProgram {
    /** Longest data of a call that is short, bytes. */
    int SHORT_DATA = 1 << 18;

    int number();

    int version();

    /** Number of procedures, from 0 on. */
    int procedures();

    /** Whether a call that is executed twice has another outcome than once. Its reply is kept for a client that sends it again. */
    boolean isNonIdempotent(int procedure);

    /**
     * Whether a call takes no longer than passing it to another thread, apart from data that must be read from the disk first: it moves
     * little data and forces none to the disk.
     *
     * @param arguments untrusted
     * @throws org.softrdma.storage.xdr.XdrException the arguments are malformed
     */
    default boolean isShort(int procedure, XdrReader arguments) {
        return false;
    }

    /**
     * Executes a call.
     *
     * @param arguments untrusted
     * @param results   where the results are written
     * @param items     memory for large items of the results
     * @throws org.softrdma.storage.xdr.XdrException the arguments are malformed
     * @throws java.nio.BufferOverflowException the results are too long
     */
    void execute(int procedure, XdrReader arguments, XdrWriter results, ResultItems items);
}
