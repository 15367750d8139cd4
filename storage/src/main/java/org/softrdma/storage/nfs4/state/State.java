// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4.state;

import org.softrdma.storage.export.FileHandle;

/** An open of a file, or locks on it. */
abstract sealed class State permits OpenState, LockState {
    final Client client;
    final FileHandle file;
    StateId id;

    State(Client client, FileHandle file, StateId id) {
        this.client = client;
        this.file = file;
        this.id = id;
        client.states.put(id.number(), this);
    }

    /** @return the state's name after a change */
    StateId changed() {
        // 0 is skipped: it means the current one.
        id = id.withSequence(id.sequence() == -1 ? 1 : id.sequence() + 1);
        return id;
    }
}
