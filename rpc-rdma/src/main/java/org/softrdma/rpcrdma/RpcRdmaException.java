// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma;

import java.io.IOException;
import org.softrdma.rpcrdma.wire.HeaderFault;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Failure of a connection or of a call below the level of RPC. */
public final class RpcRdmaException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Kind of failure. */
    private final Errno errno;
    /** Fault of a header, or null. */
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

    /** {@return the kind of failure; EPROTO for a header that one of the ends refused} */
    public Errno errno() {
        return errno;
    }

    /** Returns with EPROTO the fault of the header of the call or the reply; else null. */
    HeaderFault fault() {
        return fault;
    }
}
