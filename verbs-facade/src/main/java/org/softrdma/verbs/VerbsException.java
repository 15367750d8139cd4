// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/**
 * A caller's mistake or a refused resource, as verbs report it: an errno, the verb and the values it was given.
 * Outcomes of work requests are {@link WcStatus completion statuses}, never exceptions.
 */
public class VerbsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Error number. */
    private final Errno errno;
    /** Verb that was refused. */
    private final String verb;

    /**
     * Makes an exception whose message has verb, error and detail.
     *
     * @param errno  error number
     * @param verb   the verb as rdma-core names it, without prefix: {@code modify_qp}, {@code reg_mr}
     * @param detail the offending values, and how to correct them
     */
    public VerbsException(Errno errno, String verb, String detail) {
        super(verb + ": " + errno.text() + " (" + errno + "): " + detail);
        this.errno = errno;
        this.verb = verb;
    }

    /**
     * Makes an exception with a cause.
     *
     * @param errno  error number
     * @param verb   the verb as rdma-core names it, without prefix
     * @param detail the offending values, and how to correct them
     * @param cause  exception of the system or library
     */
    public VerbsException(Errno errno, String verb, String detail, Throwable cause) {
        this(errno, verb, detail);
        initCause(cause);
    }

    /**
     * Makes the exception for an operation that a provider does not implement.
     *
     * @param verb the verb as rdma-core names it, without prefix
     * @return EOPNOTSUPP
     */
    public static VerbsException unsupported(String verb) {
        return new VerbsException(Errno.EOPNOTSUPP, verb, "this device does not implement it");
    }

    /** {@return the error number} */
    public Errno errno() {
        return errno;
    }

    /** {@return the verb that was refused, as rdma-core names it} */
    public String verb() {
        return verb;
    }
}
