// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import org.softrdma.verbs.Errno;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.AddressInfo;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/** Connections by address with the system's librdmacm. */
final class NativeConnectionManager implements ConnectionManager {
    /** Time limit for addresses and routes of synchronous identifiers, as {@code rdma_create_ep} has it. */
    private static final int TIMEOUT_MS = 2000;

    @Override
    public EventChannel createEventChannel() {
        return new NativeEventChannel(
            Libibverbs.created(Librdmacm.CREATE_EVENT_CHANNEL.call(), "create_event_channel", "/dev/infiniband/rdma_cm"));
    }

    @Override
    public CmId createId(EventChannel channel, Object context, PortSpace portSpace, QpType type) {
        if (type != portSpace.usualType() && portSpace != PortSpace.IB) {
            throw new VerbsException(Errno.EINVAL, "create_id", portSpace + " has no " + type + " queue pairs");
        }
        return NativeCmId.create(NativeEventChannel.own(channel), context, portSpace, type);
    }

    @Override
    public CmId createEndpoint(AddressInfo info, ProtectionDomain pd, QpInitAttributes qp) {
        NativeCmId id = NativeCmId.create(null, null, info.portSpace(), info.qpType());
        boolean ready = false;
        try {
            if (info.passive()) {
                id.bind(info.source());
                id.requestsGet(pd, qp);
            } else {
                id.resolveAddress(info.source(), info.destination(), TIMEOUT_MS);
                id.resolveRoute(TIMEOUT_MS);
                if (qp != null) {
                    id.createQp(pd, qp);
                }
            }
            ready = true;
            return id;
        } finally {
            if (!ready) {
                id.close();
            }
        }
    }
}
