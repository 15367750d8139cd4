// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.nio.ByteBuffer;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;

/** What a device does for {@link org.softrdma.verbs.MadAgent}s: its queue pair 1. Each call takes the owner's lock. */
public interface MadPort {
    /** Takes a datagram, with the owner's lock held. */
    interface Receiver {
        /** @param mad 256 bytes at offset 0, the receiver's. @return false if there is no room: it is dropped, and counted */
        boolean onMad(Gid local, Gid remote, ByteBuffer mad);
    }

    /** Datagrams of that class go to {@code receiver}. @throws VerbsException EBUSY: they go to another one */
    void enter(int managementClass, Receiver receiver);

    /** They go nowhere any more. */
    void leave(int managementClass);

    /** @throws VerbsException as {@link org.softrdma.verbs.MadAgent#send} */
    void send(Gid from, Gid to, ByteBuffer mad);
}
