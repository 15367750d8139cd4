// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ibsim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.fabric.host.FabricHost;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.fabric.model.Fabric;
import org.softrdma.fabric.model.FabricObserver;
import org.softrdma.fabric.topology.Topologies;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.ib.SmAttribute;
import org.softrdma.wire.ib.Smp;
import org.softrdma.wire.mad.Mad;

/** The client at our server, over UDP; Debian's ibsim, over sockets of the host, is in the tests between programs. */
@Timeout(60)
class IbsimClientTest {
    private final FabricHost host = new FabricHost(new Fabric(Topologies.ring(2, 1), new SplittableRandom(1), new FabricObserver() {
    }));
    private IbsimServer server;
    private InetSocketAddress address;

    private IbsimClient open(String node) {
        return open(node, false);
    }

    private IbsimClient open(String node, boolean manager) {
        for (int port = 20_000 + (int) (ProcessHandle.current().pid() % 20_000); server == null; port += 100) {
            try {
                server = IbsimServer.udp(host, port);
                address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
            } catch (VerbsException taken) {
                assertEquals(Errno.EADDRINUSE, taken.errno());
            }
        }
        return IbsimClient.connect(new SimServer.Udp(address), node, manager);
    }

    @AfterEach
    void close() {
        server.close();
        host.close();
    }

    private static ByteBuffer get(int attribute, long transaction, byte... path) {
        ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
        Smp.beginDirected(mad, 0, MadMethod.GET, attribute, 0, transaction, 0, path);
        return mad;
    }

    private static ManagementPacket await(IbsimClient client) {
        ManagementPacket received = client.receive();
        while (received == null) {
            client.await(1_000_000_000L);
            received = client.receive();
        }
        return received;
    }

    @Test
    void shouldKnowItsNodeAndPort() {
        try (IbsimClient client = open("h2")) {
            assertEquals("h2", client.node());
            assertEquals((long) host.call(fabric -> fabric.find("h2").port(1).guid()), client.portGuid());
        }
    }

    @Test
    void shouldReceiveAnswersWithTheTransactionItChose() {
        try (IbsimClient client = open("h1")) {
            client.send(ManagementPacket.directed(get(SmAttribute.NODE_INFO, 0x1234_5678_9ABCL, (byte) 0, (byte) 1)));
            ManagementPacket answer = await(client);
            assertEquals(0x1234_5678_9ABCL, answer.transactionId());
            assertEquals((long) host.call(fabric -> fabric.find("s1").guid()), answer.mad().getLong(Smp.DATA_OFFSET + 12), "NodeGUID");
        }
    }

    /** The server returns a request that nothing answers; it is not taken for an answer. */
    @Test
    void shouldLeaveOutRequestsThatTimedOut() {
        try (IbsimClient client = open("h1")) {
            client.send(ManagementPacket.directed(get(SmAttribute.NODE_INFO, 5, (byte) 0, (byte) 1, (byte) 77)));
            client.send(ManagementPacket.directed(get(SmAttribute.NODE_INFO, 6, (byte) 0)));
            assertEquals(6, await(client).transactionId());
            assertNull(client.receive());
        }
    }

    @Test
    void shouldBeTheOnlyManagerAtItsPort() {
        try (IbsimClient first = open("h1", true); IbsimClient tool = open("h1")) {
            assertEquals("h1", tool.node());
            assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, () -> open("h1", true)).errno());
            assertEquals("h1", first.node());
        }
        open("h1", true).close();
    }

    @Test
    void shouldBeRefusedAtNoNode() {
        VerbsException refused = assertThrows(VerbsException.class, () -> open("h3"));
        assertEquals(Errno.EINVAL, refused.errno());
    }
}
