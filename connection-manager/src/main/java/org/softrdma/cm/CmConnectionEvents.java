// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.DatagramParameters;

/** Turns the callbacks of a connection into events of its identifier, if the identifier's state allows them. */
final class CmConnectionEvents implements CmHandler {
    private final CmIdPrivate id;
    private final CmEvents events;

    CmConnectionEvents(CmIdPrivate id, CmEvents events) {
        this.id = id;
        this.events = events;
    }

    @Override
    public void onResponse(ConnectionParameters parameters) {
        synchronized (id) {
            if (id.state == CmState.CONNECT) {
                events.raise(CmEventType.CONNECT_RESPONSE, 0, parameters);
            }
        }
    }

    @Override
    public void onEstablished(ConnectionParameters parameters) {
        synchronized (id) {
            if (id.state == CmState.CONNECT) {
                events.raise(CmEventType.ESTABLISHED, 0, parameters);
            }
        }
    }

    @Override
    public void onDatagramTarget(DatagramParameters parameters) {
        synchronized (id) {
            if (id.state != CmState.CONNECT) {
                return;
            }
            // Queue pairs of the connection manager use one Q_Key and would drop the packets of a peer with another one.
            if (id.queuePair != null && parameters.qkey() != DatagramParameters.UDP_QKEY) {
                events.raise(CmEventType.ADDR_ERROR, -Errno.EINVAL.value());
            } else {
                events.raise(CmEventType.ESTABLISHED, 0, parameters);
            }
        }
    }

    @Override
    public void onRejected(int status, byte[] privateData) {
        synchronized (id) {
            // No event for a request that is withdrawn before it is answered: answering it will fail.
            if (id.state == CmState.CONNECT && (id.requested == null || id.answered)) {
                events.raise(CmEventType.REJECTED, status, only(privateData));
            }
        }
    }

    @Override
    public void onUnreachable(int status, byte[] privateData) {
        synchronized (id) {
            if (id.state == CmState.CONNECT) {
                events.raise(CmEventType.UNREACHABLE, status, only(privateData));
            }
        }
    }

    @Override
    public void onConnectError(int status) {
        synchronized (id) {
            if (id.state == CmState.CONNECT) {
                events.raise(CmEventType.CONNECT_ERROR, status);
            }
        }
    }

    @Override
    public void onConnectError(VerbsException cause) {
        synchronized (id) {
            if (id.state == CmState.CONNECT) {
                events.raise(CmEventType.CONNECT_ERROR, cause);
            }
        }
    }

    private static ConnectionParameters only(byte[] privateData) {
        return ConnectionParameters.builder().privateData(privateData).build();
    }

    @Override
    public void onDisconnected(int status) {
        synchronized (id) {
            if (id.state == CmState.CONNECT) {
                id.state = CmState.DISCONNECT;
                events.raise(CmEventType.DISCONNECTED, status);
            }
        }
    }

    @Override
    public void onTimewaitExit() {
        synchronized (id) {
            if (id.state != CmState.DESTROYING) {
                events.raise(CmEventType.TIMEWAIT_EXIT, 0);
            }
        }
    }
}
