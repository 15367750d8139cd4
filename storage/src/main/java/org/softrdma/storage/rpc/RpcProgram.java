// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.rpc;

import org.softrdma.storage.xdr.XdrReader;
import org.softrdma.storage.xdr.XdrWriter;

/** One version of a remote program. Any thread; calls run at once. */
public interface RpcProgram {
    int number();

    int version();

    /** Number of procedures, from 0 on. */
    int procedures();

    /** Whether a call that is executed twice has another outcome than once. Its reply is kept for a client that sends it again. */
    boolean isNonIdempotent(int procedure);

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
