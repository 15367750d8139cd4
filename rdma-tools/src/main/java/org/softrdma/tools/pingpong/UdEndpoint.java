// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.pingpong;

import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QueuePair;

/** One end of {@code ibv_ud_pingpong}: a message is one packet, and is received after the 40 bytes of its GRH. */
final class UdEndpoint extends Endpoint {
    private static final int GRH_BYTES = 40;
    private static final int QKEY = 0x11111111;

    UdEndpoint(PingPongParameters parameters) {
        super(parameters, GRH_BYTES);
    }

    @Override
    String gidComplaint() {
        return "Could not get local gid for gid index ";
    }

    @Override
    void checkFeatures(Context opened) {
        attempt("Unable to query port info for port " + parameters.ibPort, () -> {
            int mtu = opened.queryPort(parameters.ibPort).activeMtu().bytes();
            if (Integer.compareUnsigned(parameters.size, mtu) > 0) {
                throw new ToolFailure("Requested size larger than port MTU (" + mtu + ")");
            }
        });
    }

    @Override
    QpAttributes initAttributes() {
        return new QpAttributes().qkey(QKEY);
    }

    @Override
    void connect(QueuePair qp, String name, int ownPsn, Destination peer, AddressVector vector) {
        attempt("Failed to modify " + name + " to RTR", () -> qp.modify(new QpAttributes().state(QpState.RTR)));
        attempt("Failed to modify " + name + " to RTS", () -> qp.modify(new QpAttributes().state(QpState.RTS).sqPsn(ownPsn)));
        attemptToReach(vector, "Failed to create AH", () -> {
            AddressHandle handle = pd.createAh(vector);
            closeFirst("Couldn't destroy AH", handle::close);
            send.to(handle, peer.qpn(), QKEY);
        });
    }
}
