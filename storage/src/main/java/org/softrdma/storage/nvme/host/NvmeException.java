// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.host;

/** A connection or a command failed, or the target broke the protocol. */
public final class NvmeException extends Exception {
    private static final long serialVersionUID = 1;

    /** Type and code of the status; 0 for a failure that is not the status of a command. */
    private final int status;

    NvmeException(String message) {
        super(message);
        status = 0;
    }

    NvmeException(String message, Throwable cause) {
        super(message, cause);
        status = 0;
    }

    NvmeException(String command, int status) {
        super(command + " failed with status 0x" + Integer.toHexString(status));
        this.status = status;
    }

    /** {@return the type in bits 8..10 and the code in bits 0..7 of the command's status; 0 if it was not a status} */
    public int status() {
        return status;
    }
}
