// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4.state;

/** An operation that fails as the protocol describes it. */
public final class Nfs4Exception extends Exception {
    private static final long serialVersionUID = 1L;

    private final Nfs4Status status;

    public Nfs4Exception(Nfs4Status status) {
        super(status.name(), null, false, false);
        this.status = status;
    }

    public Nfs4Status status() {
        return status;
    }
}
