// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.softrdma.host.inspect.Owner;
import org.softrdma.host.inspect.ReportBuilder;
import org.softrdma.host.inspect.Resource;
import org.softrdma.host.inspect.ResourceKind;
import org.softrdma.verbs.Gid;

/** Lists identifiers for {@code rdma resource show cm_id}. An identifier without a device is not listed. */
final class CmInventory {
    private static final String NO_PEER = "0.0.0.0:0";
    private static final String NO_IPV6_PEER = ":::0";

    private CmInventory() {
    }

    /**
     * Describes one identifier.
     *
     * @param listensOn names of devices; the identifier may be bound to one of them, or to none
     */
    static void report(CmIdPrivate id, List<String> listensOn, ReportBuilder into) {
        String device;
        String peer;
        CmQueuePair own;
        CmState state;
        synchronized (id) {
            device = id.device == null ? null : id.device.device().name();
            peer = id.peer == null ? id.local.getAddress() instanceof Inet6Address ? NO_IPV6_PEER : NO_PEER : text(id.peer);
            own = id.queuePair;
            state = id.state;
        }
        if (device != null) {
            into.device(device).add(Owner.name(named(id, own, state).with("src-addr", text(id.local)).with("dst-addr", peer), id.owner));
        } else {
            for (String each : listensOn) {
                into.device(each).add(Owner.name(Resource.of(ResourceKind.CM_ID).with("wildcard", 1).with("cm-idn", id.number)
                    .with("state", state.name()).with("ps", id.space.name()).with("src-addr", text(id.local)), id.owner));
            }
        }
    }

    private static Resource named(CmIdPrivate id, CmQueuePair own, CmState state) {
        Resource resource = Resource.of(ResourceKind.CM_ID).with("cm-idn", id.number);
        if (own != null) {
            resource = resource.with("lqpn", own.qp().qpNum()).with("qp-type", id.type.text());
        }
        return resource.with("state", state.name()).with("ps", id.space.name());
    }

    /** Formats address and port as {@code rdma} does: without brackets, even for IPv6. */
    private static String text(InetSocketAddress address) {
        InetAddress ip = address.getAddress();
        return (ip instanceof Inet6Address ? Gid.of(ip).toString() : ip.getHostAddress()) + ":" + address.getPort();
    }
}
