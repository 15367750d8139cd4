// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.world;

import java.net.InetSocketAddress;
import org.softrdma.lab.ladder.Ladder;
import org.softrdma.siw.SimulatedTcpNetwork;
import org.softrdma.testing.Fabric;

/** Draws the bytes of simulated TCP connections into a ladder. */
record StreamsOfLadder(Fabric fabric, Ladder ladder) implements SimulatedTcpNetwork.Observer {
    @Override
    public void onPiece(InetSocketAddress from, InetSocketAddress to, byte[] bytes) {
        ladder.onStream(fabric.nowNs(), lane(from), lane(to), from + ">" + to, bytes);
    }

    @Override
    public void onTaken(InetSocketAddress from, InetSocketAddress to, int count) {
        ladder.onStreamTaken(fabric.nowNs(), from + ">" + to, count);
    }

    private static int lane(InetSocketAddress address) {
        return (address.getAddress().getAddress()[3] & 0xff) - 1;
    }
}
