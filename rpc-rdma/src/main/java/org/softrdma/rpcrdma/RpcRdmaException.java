// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma;

import java.io.IOException;
import org.softrdma.rpcrdma.wire.HeaderFault;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Failure of a connection or of a call below the level of RPC. */
public final class RpcRdmaException extends IOException {
    private static final long serialVersionUID = 1L;

    private final Errno errno;
    private final HeaderFault fault;

    RpcRdmaException(Errno errno, String detail) {
        super(errno.text() + " (" + errno + "): " + detail);
        this.errno = errno;
        fault = null;
    }

    RpcRdmaException(HeaderFault fault, String detail) {
        super(Errno.EPROTO.text() + " (" + Errno.EPROTO + "): " + detail + ": " + fault.counter());
        errno = Errno.EPROTO;
        this.fault = fault;
    }

    RpcRdmaException(VerbsException cause) {
        super(cause.getMessage(), cause);
        errno = cause.errno();
        fault = null;
    }

    public Errno errno() {
        return errno;
    }

    /** @return with EPROTO the fault of the header of the call or the reply; else null */
    public HeaderFault fault() {
        return fault;
    }
}
