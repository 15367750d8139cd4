// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/**
 * A caller's mistake or a refused resource, as verbs report it: an errno, the verb that answered and the values it was given.
 * Outcomes of work requests never come this way; they are {@link WcStatus completion statuses}.
 */
public class VerbsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Errno errno;
    private final String verb;

    /**
     * @param verb   the verb as rdma-core names it, without prefix: {@code modify_qp}, {@code reg_mr}
     * @param detail the offending values, and what to do about them
     */
    public VerbsException(Errno errno, String verb, String detail) {
        super(verb + ": " + errno.text() + " (" + errno + "): " + detail);
        this.errno = errno;
        this.verb = verb;
    }

    public VerbsException(Errno errno, String verb, String detail, Throwable cause) {
        this(errno, verb, detail);
        initCause(cause);
    }

    /** The answer of an operation this provider does not have. */
    public static VerbsException unsupported(String verb) {
        return new VerbsException(Errno.EOPNOTSUPP, verb, "this device does not implement it");
    }

    public Errno errno() {
        return errno;
    }

    public String verb() {
        return verb;
    }
}
