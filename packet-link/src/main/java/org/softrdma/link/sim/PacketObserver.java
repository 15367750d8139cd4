// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.sim;

import java.nio.ByteBuffer;
import org.softrdma.verbs.Gid;

/** Sees every packet of a {@link SimulatedFabric}, so that a test can check what is on the wire. */
@FunctionalInterface
public interface PacketObserver {
    /**
     * Called in the order things happen; may be called several times for one packet, see {@link Fate}.
     *
     * @param nowNs  virtual time
     * @param packet read it only, at absolute offsets, and keep nothing of it
     * @param offset of the BTH
     * @param length bytes from BTH to ICRC
     */
    void onPacket(long nowNs, Gid from, Gid to, ByteBuffer packet, int offset, int length, Fate fate);
}
