// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.store;

/** An access to a store failed. */
public final class StoreException extends Exception {
    private static final long serialVersionUID = 1;

    StoreException(String message, Throwable cause) {
        super(message, cause);
    }
}
