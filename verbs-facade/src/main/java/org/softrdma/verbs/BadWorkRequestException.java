// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** A list of work requests was refused at {@link #index()}; those before it <em>are</em> posted, as with {@code bad_wr} in C. */
public final class BadWorkRequestException extends VerbsException {
    private static final long serialVersionUID = 1L;

    /** Position from 0. */
    private final int index;

    /**
     * Makes an exception with the error of one request.
     *
     * @param cause refusal of the request
     * @param index of it in the list, from 0
     */
    public BadWorkRequestException(VerbsException cause, int index) {
        super(cause.errno(), cause.verb(), "work request " + index + " of the list: " + cause.getMessage(), cause);
        this.index = index;
    }

    /** {@return the position of the first work request that was not posted, from 0} */
    public int index() {
        return index;
    }
}
