// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Assertions;
import org.softrdma.device.SeededRandom;
import org.softrdma.rxe.sim.CmWorld;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.cm.CmReq;
import org.softrdma.wire.cm.CmSidrRep;
import org.softrdma.wire.mad.Mad;

/**
 * A host with connections in every state gets messages in which everything may be anything: damaged copies of real ones, real ids in wrong
 * messages, from peers and from strangers. It must not fail, answer each with little, and have nothing left in the end.
 */
class HostileMadTest {
    private static final int MESSAGES = 400;
    private static final int MOST_ANSWERS = 3;

    @Property(tries = 300)
    void shouldSurviveAnyMessages(@ForAll long seed) {
        SeededRandom random = new SeededRandom(seed);
        CmWorld world = new CmWorld(seed);
        CmHost host = new CmHost(world, 1);
        CmHost peer = new CmHost(world, 2);
        List<ByteBuffer> seen = new ArrayList<>();
        host.manager().listen(CmHost.SERVICE, host);
        host.manager().listenForDatagrams(CmHost.DATAGRAM_SERVICE, host);
        peer.manager().listen(CmHost.SERVICE, peer);
        for (int i = 0; i < MESSAGES; i++) {
            step(random, world, host, peer, i);
            exchange(random, world, host, peer, seen);
            if (!seen.isEmpty() && random.chance(0.7)) {
                ByteBuffer mad = damaged(random, seen.get(random.below(seen.size())));
                host.manager().onMad(world.nowNs(), CmWorld.gids(host.address(),
                    random.chance(0.8) ? peer.address() : CmWorld.gid(9)), mad);
                assertTrue(exchange(random, world, host, peer, seen) <= MOST_ANSWERS, "a message has many answers, seed " + seed);
            }
        }
        host.manager().abandonAll(world.nowNs(), Assertions::fail);
        peer.manager().abandonAll(world.nowNs(), Assertions::fail);
        // Longest are sixteen DREQs to a peer that said it needs 69 s or more for each, and its timewait.
        world.runFor(1_200 * CmWorld.SECOND);
        assertTrue(host.manager().isIdle(), "seed " + seed);
    }

    /** The applications do something, or time passes. */
    private static void step(SeededRandom random, CmWorld world, CmHost host, CmHost peer, int qpn) {
        switch (random.below(8)) {
            case 0 -> host.connect(peer, 0x100 + qpn);
            case 1 -> peer.connect(host, 0x1000 + qpn);
            case 2 -> {
                if (host.requested != null && host.requested.state() == ConnectionState.REQ_RECEIVED) {
                    host.accept(host.requested, 0x10000 + qpn);
                }
            }
            case 3 -> {
                if (peer.requested != null && peer.requested.state() == ConnectionState.REQ_RECEIVED) {
                    peer.accept(peer.requested, 0x20000 + qpn);
                }
            }
            case 4 -> {
                if (host.replied != null && host.replied.state() == ConnectionState.REP_RECEIVED) {
                    host.confirm(host.replied);
                }
            }
            case 5 -> {
                if (host.requested != null) {
                    host.disconnect(host.requested);
                }
            }
            case 6 -> {
                if (host.lookup != null) {
                    host.lookup.abandon(world.nowNs());
                } else {
                    host.manager().query(world.nowNs(), CmWorld.gids(host.address(), peer.address()), CmHost.DATAGRAM_SERVICE, 0xffff,
                        new byte[0], host);
                }
            }
            default -> {
                world.pass(random.between(0, 3 * CmWorld.SECOND));
                host.manager().onTime(world.nowNs());
                peer.manager().onTime(world.nowNs());
            }
        }
    }

    /**
     * Delivers what both have to say, until neither says more, and remembers it.
     *
     * @return how much the host said at first
     */
    private static int exchange(SeededRandom random, CmWorld world, CmHost host, CmHost peer, List<ByteBuffer> seen) {
        int first = deliver(random, world, host, peer, seen);
        int more = 1;
        while (more > 0) {
            more = deliver(random, world, peer, host, seen) + deliver(random, world, host, peer, seen);
        }
        return first;
    }

    private static int deliver(SeededRandom random, CmWorld world, CmHost from, CmHost to, List<ByteBuffer> seen) {
        int said = 0;
        for (OutgoingMad next = from.manager().nextRefusal(); next != null; next = from.manager().nextRefusal()) {
            said++;
            seen.add(next.mad());
            if (random.chance(0.8) && next.gids().remote().equals(to.address())) {
                to.manager().onMad(world.nowNs(), CmWorld.gids(to.address(), from.address()), next.mad());
            }
        }
        for (OutgoingMad next = from.manager().nextOutgoing(); next != null; next = from.manager().nextOutgoing()) {
            said++;
            seen.add(next.mad());
            if (random.chance(0.8) && next.gids().remote().equals(to.address())) {
                to.manager().onMad(world.nowNs(), CmWorld.gids(to.address(), from.address()), next.mad());
            }
        }
        return said;
    }

    private static ByteBuffer damaged(SeededRandom random, ByteBuffer mad) {
        ByteBuffer copy = ByteBuffer.allocate(Mad.LENGTH).put(0, mad, 0, Mad.LENGTH);
        if (random.chance(0.7)) {
            copy.putShort(Mad.ATTRIBUTE_OFFSET, (short) (CmMessage.REQ + random.below(12)));
        }
        if (random.chance(0.4)) {
            // Seen from the other side.
            int local = CmMessage.LOCAL_COMM_ID.get(copy, 0);
            CmMessage.LOCAL_COMM_ID.set(copy, 0, CmMessage.REMOTE_COMM_ID.get(copy, 0));
            CmMessage.REMOTE_COMM_ID.set(copy, 0, local);
        }
        if (random.chance(0.2)) {
            CmReq.SERVICE_ID.set(copy, 0, random.chance(0.5) ? CmHost.SERVICE : CmHost.DATAGRAM_SERVICE);
        }
        if (random.chance(0.2)) {
            CmSidrRep.SERVICE_ID.set(copy, 0, random.nextLong());
        }
        for (int flips = random.below(6); flips > 0; flips--) {
            copy.put(random.below(Mad.LENGTH), (byte) random.nextLong());
        }
        return copy;
    }
}
