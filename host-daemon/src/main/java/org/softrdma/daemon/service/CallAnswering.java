// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.service;

import org.softrdma.linux.process.SeccompListener;

/** The process that answers the calls of a program: this one or the daemon. */
public interface CallAnswering extends AutoCloseable {
    /**
     * Answers the calls that arrive at a listener, from now on.
     *
     * @param listener closed by the callee
     * @param limit    open files that a program may have, by which {@link org.softrdma.daemon.trap.DescriptorNumbers} were chosen
     * @throws org.softrdma.verbs.VerbsException calls cannot be answered, and the reason
     */
    void answer(SeccompListener listener, long limit);

    /** Ends the programs' files. */
    @Override
    void close();
}
