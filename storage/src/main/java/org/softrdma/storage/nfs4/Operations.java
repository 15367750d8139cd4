// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4;

import org.softrdma.storage.export.NfsException;
import org.softrdma.storage.nfs4.state.Nfs4Exception;
import org.softrdma.storage.nfs4.state.Nfs4Status;

/** Operations of one theme. */
interface Operations {
    /**
     * Executes an operation.
     *
     * @return OK, or another status if the results are those of a failure
     * @throws Nfs4Exception it has failed, without results
     * @throws org.softrdma.storage.xdr.XdrException the arguments are malformed
     * @throws java.nio.BufferOverflowException the results are too long
     */
    Nfs4Status execute(Operation operation, Call call) throws NfsException, Nfs4Exception;
}
