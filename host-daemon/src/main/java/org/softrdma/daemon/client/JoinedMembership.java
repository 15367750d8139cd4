// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import java.net.InetAddress;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.VerbsException;

/** A group that an identifier joins. */
final class JoinedMembership {
    private final JoinedCmId identifier;
    private final InetAddress group;
    private final boolean sendOnly;
    private final Object context;
    private final long name;
    /** Number at the daemon. */
    private int number;
    /** The queue pair that is attached, and the group's GID; null before. */
    private QueuePair attached;
    private Gid gid;

    JoinedMembership(JoinedConnections manager, JoinedCmId identifier, InetAddress group, boolean sendOnly, Object context) {
        this.identifier = identifier;
        this.group = group;
        this.sendOnly = sendOnly;
        this.context = context;
        name = manager.newName();
        manager.put(name, this);
    }

    JoinedCmId identifier() {
        return identifier;
    }

    InetAddress group() {
        return group;
    }

    boolean isSendOnly() {
        return sendOnly;
    }

    Object context() {
        return context;
    }

    /** Number by which events name it. */
    long name() {
        return name;
    }

    int number() {
        return number;
    }

    void number(int given) {
        number = given;
    }

    /** Attaches a queue pair, unless the membership is for sending only or there is none. */
    synchronized void attach(QueuePair qp, Gid to) {
        if (qp != null && !sendOnly) {
            qp.attachMulticast(to);
            attached = qp;
            gid = to;
        }
    }

    /** Detaches the queue pair, which may be closed. */
    synchronized void detach() {
        if (attached == null) {
            return;
        }
        try {
            attached.detachMulticast(gid);
        } catch (VerbsException gone) {
            if (gone.errno() != Errno.EINVAL && gone.errno() != Errno.EIO) {
                throw gone;
            }
        }
        attached = null;
    }
}
