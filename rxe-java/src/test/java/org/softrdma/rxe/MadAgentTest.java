// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.softrdma.rxe.RawPeer.MS;

import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MadAgent;
import org.softrdma.verbs.VerbsException;

/** Agents for management datagrams, at the packet edge. */
class MadAgentTest {
    private static final int GSI_QKEY = 0x80010000;
    private static final int PING_CLASS = 0x32;
    /** Request of ibping. */
    private static final byte[] PING = Arrays.copyOf(HexFormat.of().parseHex("013201010000000000000000000047110000000000000000"), 256);

    private final RawPeer peer = new RawPeer(new SimulatedPair.Setup());

    private static RawPacket datagram(byte[] mad) {
        return RawPacket.of(RawPacket.UD_SEND, 0).deth(GSI_QKEY, 1).payload(mad).destQpn(1);
    }

    private long dropped(String counter) {
        return peer.side.counter(counter);
    }

    @Test
    void shouldHandDatagramsToTheAgentOfTheirClassAndSendItsAnswers() {
        try (MadAgent agent = peer.side.context.openMadAgent(PING_CLASS)) {
            assertEquals(PING_CLASS, agent.managementClass());
            assertNull(agent.receive(0));
            peer.send(datagram(PING));
            peer.expectNothingFor(MS);
            MadAgent.Received received = agent.receive(0);
            assertArrayEquals(PING, received.mad());
            assertEquals(peer.gid(), received.from());
            assertEquals(peer.side.gid, received.to());

            byte[] answer = PING.clone();
            answer[3] = (byte) 0x81;
            agent.send(received.to(), received.from(), answer);
            Arrays.fill(answer, (byte) 0xa5);       // it was copied
            RawPacket sent = peer.expect();
            assertEquals(RawPacket.UD_SEND, sent.opcode());
            assertEquals(1, sent.destQpn());
            assertEquals((byte) 0x81, sent.payload()[3]);
            assertEquals(256, sent.payload().length);
            assertEquals(0, dropped("cm_drop_other_class"));
        }
    }

    @Test
    void shouldLeaveOtherClassesAndVersionsToCommunicationManagement() {
        try (MadAgent agent = peer.side.context.openMadAgent(PING_CLASS)) {
            byte[] other = PING.clone();
            other[1] = 0x33;
            peer.send(datagram(other));
            peer.expectNothingFor(MS);
            assertEquals(1, dropped("cm_drop_other_class"));
            byte[] version = PING.clone();
            version[0] = 2;
            peer.send(datagram(version));
            peer.expectNothingFor(MS);
            assertNull(agent.receive(0));
        }
        peer.send(datagram(PING));
        peer.expectNothingFor(MS);
        assertEquals(2, dropped("cm_drop_other_class"), "the agent is closed");
    }

    @Test
    void shouldKeepSixtyFourThatNobodyTakesAndCountTheRest() {
        try (MadAgent agent = peer.side.context.openMadAgent(PING_CLASS)) {
            for (int i = 0; i < 70; i++) {
                byte[] numbered = PING.clone();
                numbered[15] = (byte) i;
                peer.send(datagram(numbered));
                peer.expectNothingFor(MS);
            }
            assertEquals(6, dropped("drop_mad_agent_full"));
            for (int i = 0; i < 64; i++) {
                assertEquals(i, agent.receive(0).mad()[15]);
            }
            assertNull(agent.receive(0));
            peer.send(datagram(PING));
            peer.expectNothingFor(MS);
            assertArrayEquals(PING, agent.receive(0).mad());
        }
    }

    @Test
    void shouldRefuseMisuse() {
        for (int reserved : new int[] {-1, 0, 0x01, 0x03, 0x07, 0x08, 0x50, 0x81, 0x132}) {
            assertRefused(Errno.EINVAL, () -> peer.side.context.openMadAgent(reserved));
        }
        MadAgent agent = peer.side.context.openMadAgent(PING_CLASS);
        assertRefused(Errno.EBUSY, () -> peer.side.context.openMadAgent(PING_CLASS));
        assertRefused(Errno.EBUSY, peer.side.context::close);
        Gid own = peer.side.gid;
        Gid theirs = peer.gid();
        assertRefused(Errno.EINVAL, () -> agent.send(own, theirs, new byte[255]));
        assertRefused(Errno.EINVAL, () -> agent.send(own, theirs, new byte[256]));
        assertRefused(Errno.EINVAL, () -> agent.send(theirs, own, PING));
        byte[] other = PING.clone();
        other[1] = 0x07;
        assertRefused(Errno.EINVAL, () -> agent.send(own, theirs, other));
        peer.expectNothingFor(MS);
        agent.close();
        agent.close();
        assertRefused(Errno.EINVAL, () -> agent.send(own, theirs, PING));
        assertRefused(Errno.EINVAL, () -> agent.receive(0));
        peer.side.context.openMadAgent(PING_CLASS).close();
    }

    private static void assertRefused(Errno errno, Runnable call) {
        assertEquals(errno, assertThrows(VerbsException.class, call::run).errno());
    }
}
