// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.sim;

import java.nio.ByteBuffer;
import org.softrdma.verbs.Gid;

/** Observes every packet of a {@link SimulatedFabric}, for tests that check what is on the wire. */
@FunctionalInterface
public interface PacketObserver {
    /**
     * Called for each event in order; several times for one packet, see {@link Fate}.
     *
     * @param nowNs  virtual time
     * @param from   address of the sender
     * @param to     address of the receiver, or of a group
     * @param packet to be read only, at absolute offsets; nothing of it may be kept
     * @param offset of the BTH
     * @param length bytes from BTH to ICRC
     * @param fate   what happened to it
     */
    void onPacket(long nowNs, Gid from, Gid to, ByteBuffer packet, int offset, int length, Fate fate);
}
