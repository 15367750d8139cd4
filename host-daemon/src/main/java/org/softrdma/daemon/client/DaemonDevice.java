// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import org.softrdma.daemon.service.DaemonSession;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.NodeType;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Transport;

/** A device of the daemon. */
record DaemonDevice(DaemonSession session, DaemonSession.Listed listed) implements RdmaDevice {
    @Override
    public String name() {
        return listed.name();
    }

    @Override
    public int index() {
        return listed.index();
    }

    @Override
    public long nodeGuid() {
        return listed.nodeGuid();
    }

    @Override
    public NodeType nodeType() {
        return listed.nodeType();
    }

    @Override
    public Transport transport() {
        return listed.transport();
    }

    @Override
    public String netdev() {
        return listed.netdev();
    }

    @Override
    public Context open() {
        return new JoinedContext(this);
    }

    @Override
    public String toString() {
        return name() + " of the daemon";
    }
}
