// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.xdr;

/** A message that is shorter than what it announces, or announces more than is permitted. */
public final class XdrException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    XdrException(String message) {
        super(message);
    }

    /** An enumeration that has a value without a meaning. */
    public static XdrException unknown(String what) {
        return new XdrException("unknown value: " + what);
    }
}
