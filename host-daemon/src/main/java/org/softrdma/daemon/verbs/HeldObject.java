// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

/** An object of a program's context. Used with the lock of its {@link UverbsFile} held. */
abstract class HeldObject {
    /** Kinds, in the order in which the objects of a closed context are destroyed: nothing is destroyed before what depends on it. */
    enum Kind {
        QP, MW, MR, SRQ, CQ, AH, PD
    }

    private final Kind kind;
    private int handle = -1;

    HeldObject(Kind kind) {
        this.kind = kind;
    }

    final Kind kind() {
        return kind;
    }

    /** Returns the number that the program names the object by. */
    final int handle() {
        return handle;
    }

    final void handle(int number) {
        handle = number;
    }

    /**
     * Destroys the object.
     *
     * @throws org.softrdma.verbs.VerbsException EBUSY: others depend on it; nothing has changed then
     */
    abstract void destroy();

    /** Undoes what keeps the object from being destroyed and is no object itself. Called when the context is closed. */
    void release() {
    }
}
