// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4;

import org.softrdma.storage.export.FileHandle;
import org.softrdma.storage.export.NfsException;
import org.softrdma.storage.nfs4.state.Client;
import org.softrdma.storage.nfs4.state.Nfs4Exception;
import org.softrdma.storage.nfs4.state.Nfs4Status;
import org.softrdma.storage.nfs4.state.Session;
import org.softrdma.storage.nfs4.state.StateId;
import org.softrdma.storage.rpc.ResultItems;
import org.softrdma.storage.xdr.XdrReader;
import org.softrdma.storage.xdr.XdrWriter;

/** A call while it is executed: its arguments and results, its session, and the files that its operations are about. */
final class Call {
    final XdrReader arguments;
    final XdrWriter results;
    final ResultItems items;
    final long nowNs;

    /** Number of operations, and of the one that is executed. */
    int operations;
    int index;

    /** Null outside of a session. */
    Session session;
    int slot;
    boolean cached;
    /** Reply of the first execution of this call, or null. */
    byte[] replay;

    private FileHandle current;
    private FileHandle saved;
    private StateId currentState = StateId.INVALID;
    private StateId savedState = StateId.INVALID;

    Call(XdrReader arguments, XdrWriter results, ResultItems items, long nowNs) {
        this.arguments = arguments;
        this.results = results;
        this.items = items;
        this.nowNs = nowNs;
    }

    Client client() {
        return session.client();
    }

    // ---- files ----

    /** @throws Nfs4Exception NOFILEHANDLE */
    FileHandle current() throws Nfs4Exception {
        if (current == null) {
            throw new Nfs4Exception(Nfs4Status.NOFILEHANDLE);
        }
        return current;
    }

    FileHandle saved() throws Nfs4Exception {
        if (saved == null) {
            throw new Nfs4Exception(Nfs4Status.NOFILEHANDLE);
        }
        return saved;
    }

    /** Sets the current file, or none; the current state belongs to the former one. */
    void setCurrent(FileHandle file) {
        current = file;
        currentState = StateId.INVALID;
    }

    void setCurrentState(StateId state) {
        currentState = state;
    }

    void save() throws Nfs4Exception {
        saved = current();
        savedState = currentState;
    }

    void restore() throws Nfs4Exception {
        current = saved();
        currentState = savedState;
    }

    // ---- arguments and results that several operations have ----

    /** Reads a state's name, and replaces the one that means the current state. */
    StateId stateId() {
        StateId id = new StateId(arguments.u32(), arguments.u32(), arguments.u64());
        return id.equals(StateId.CURRENT) ? currentState : id;
    }

    void write(StateId id) {
        results.u32(id.sequence()).u32(id.boot()).u64(id.number());
    }

    /** @throws Nfs4Exception BADNAME: "." or "..", which version 4 has no names for */
    String name() throws NfsException, Nfs4Exception {
        return Nfs4Types.name(arguments);
    }
}
