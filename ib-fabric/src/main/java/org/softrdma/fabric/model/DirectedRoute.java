// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.model;

import java.nio.ByteBuffer;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.wire.ib.Lrh;
import org.softrdma.wire.ib.Smp;

/**
 * Follows directed packets: by the initial path on their way out, by the return path on their way back. Only packets that are directed
 * from end to end are carried; those that begin or end with a part routed by LID are dropped. Source: IBA vol 1 §14.2.2.
 */
final class DirectedRoute {
    private final PacketRouter router;
    private final Crossing crossing = new Crossing();

    DirectedRoute(PacketRouter router) {
        this.router = router;
    }

    /** Whether the header of a packet that a process sends is valid. */
    static boolean isValid(ByteBuffer mad, boolean response) {
        return Smp.hopCount(mad, 0) <= Smp.MAX_HOPS && Smp.isReturning(mad, 0) == response
            && Smp.drSlid(mad, 0) == Lrh.PERMISSIVE_LID && Smp.drDlid(mad, 0) == Lrh.PERMISSIVE_LID
            && (Smp.hopPointer(mad, 0) == 0 || response && Smp.hopPointer(mad, 0) == Smp.hopCount(mad, 0) + 1);
    }

    /**
     * Follows a request, and records the way back in it.
     *
     * @param source port of the sender
     * @return the port that it ends at, or null if it was dropped
     */
    FabricPort out(FabricPort source, ManagementPacket packet) {
        crossing.set(packet);
        ByteBuffer mad = packet.mad();
        int hops = Smp.hopCount(mad, 0);
        FabricPort at = source;
        for (int hop = 1; hop <= hops; hop++) {
            FabricPort leaving = exit(at, Smp.initialPath(mad, 0, hop), hop == 1);
            at = leaving == null ? null : router.cross(leaving, crossing);
            if (at == null) {
                return null;
            }
            Smp.setReturnPath(mad, 0, hop, at.number());
        }
        Smp.setHopPointer(mad, 0, hops + 1);
        return at;
    }

    /**
     * Follows a response.
     *
     * @param source port of the sender
     * @return the port that it ends at, or null if it was dropped
     */
    FabricPort back(FabricPort source, ManagementPacket packet) {
        crossing.set(packet);
        ByteBuffer mad = packet.mad();
        FabricPort at = source;
        for (int hop = Smp.hopCount(mad, 0); hop >= 1; hop--) {
            FabricPort leaving = exit(at, Smp.returnPath(mad, 0, hop), hop == Smp.hopCount(mad, 0));
            at = leaving == null ? null : router.cross(leaving, crossing);
            if (at == null) {
                return null;
            }
        }
        Smp.setHopPointer(mad, 0, 0);
        return at;
    }

    /** The port that a packet leaves a node by: adapters only send, and do not forward. */
    private static FabricPort exit(FabricPort at, int number, boolean first) {
        if (!at.node().isSwitch()) {
            return first && number == at.number() ? at : null;
        }
        FabricPort port = at.node().port(number);
        return port == null || port.isInternal() ? null : port;
    }
}
