// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.umad;

import java.util.BitSet;

/** An agent of a program: it receives requests of its class and methods, and the answers to its own requests. */
final class UmadAgent {
    final UmadFile file;
    /** Number in the file. */
    final int id;
    final UmadRegistration registration;
    /** Upper half of the transaction ids of its requests, by which answers are assigned; given by {@link UmadPort#enter}. */
    int highTid;
    /** Classes that the port receives for this agent; guarded by the port's lock of classes. */
    final BitSet classes = new BitSet();

    UmadAgent(UmadFile file, int id, UmadRegistration registration) {
        this.file = file;
        this.id = id;
        this.registration = registration;
    }
}
