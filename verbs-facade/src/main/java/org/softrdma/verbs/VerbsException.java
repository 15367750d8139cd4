// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/**
 * A caller's mistake or a refused resource, as verbs report it: an errno, the verb and the values it was given.
 * Outcomes of work requests are {@link WcStatus completion statuses}, never exceptions.
 */
public class VerbsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Errno errno;
    private final String verb;

    /**
     * @param verb   the verb as rdma-core names it, without prefix: {@code modify_qp}, {@code reg_mr}
     * @param detail the offending values, and how to correct them
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

    /** Returns the exception for an operation that this provider does not implement. */
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
