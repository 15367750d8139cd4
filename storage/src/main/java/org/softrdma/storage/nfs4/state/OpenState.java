// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4.state;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.storage.export.FileHandle;

/** A file that an owner of a client has open. */
final class OpenState extends State {
    final ByteBuffer owner;
    final List<LockState> locks = new ArrayList<>();
    /** Bits of {@link OpenStates}. */
    int access;
    int deny;

    OpenState(Client client, ByteBuffer owner, FileHandle file, StateId id) {
        super(client, file, id);
        this.owner = owner;
    }
}
