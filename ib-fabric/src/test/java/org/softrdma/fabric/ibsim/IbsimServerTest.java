// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ibsim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.DatagramChannel;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.fabric.host.FabricHost;
import org.softrdma.fabric.model.Fabric;
import org.softrdma.fabric.model.FabricObserver;
import org.softrdma.fabric.topology.Topologies;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.ib.PortInfo;

/** Control messages of clients that follow no protocol. The bytes are written here, not by the server's code. */
@Timeout(60)
class IbsimServerTest {
    private static final int CONNECT = 1;
    private static final int SET_MANAGER = 9;
    private static final int ERROR = 0;

    private final FabricHost host = new FabricHost(new Fabric(Topologies.ring(2, 1), new SplittableRandom(1), new FabricObserver() {
    }));
    private IbsimServer server;
    private DatagramChannel client;

    @BeforeEach
    void open() throws IOException {
        for (int attempt = 0; server == null; attempt++) {
            try (DatagramSocket free = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
                int port = 10_000 + free.getLocalPort() % 50_000;
                server = IbsimServer.udp(host, port);
                client = DatagramChannel.open().connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            } catch (VerbsException taken) {
                assertTrue(taken.errno() == Errno.EADDRINUSE && attempt < 20, taken.getMessage());
            }
        }
    }

    @AfterEach
    void close() throws IOException {
        server.close();
        client.close();
        host.close();
    }

    /** Sends a request to begin a session; returns the type of the answer. */
    private int connect(int session) throws IOException {
        return ask(begin(CONNECT).putInt(16, session));
    }

    private static ByteBuffer begin(int type) {
        return ByteBuffer.allocate(80).order(ByteOrder.nativeOrder()).putInt(0, 0xDEADBEEF).putInt(8, type).putInt(12, 64);
    }

    /** Returns the type of the answer. */
    private int ask(ByteBuffer message) throws IOException {
        client.write(message);
        ByteBuffer answer = ByteBuffer.allocate(80).order(ByteOrder.nativeOrder());
        assertEquals(80, client.read(answer));
        return answer.getInt(8);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 0x10000, Integer.MAX_VALUE})
    void shouldRefuseClientsAtNoSocket(int session) throws IOException {
        assertEquals(ERROR, connect(session));
        assertEquals(CONNECT, connect(client.socket().getLocalPort()), "the server must go on");
    }

    /** As ibsim: until it says that its manager runs, a client's questions are its own, and other managers do not ask it. */
    @Test
    void shouldShowAManagerFromTheMessageThatSaysItRuns() throws IOException {
        assertEquals(CONNECT, ask(begin(CONNECT).putInt(16, client.socket().getLocalPort()).putInt(24, 1)));
        assertEquals(0, capabilities() & PortInfo.CAP_SM);
        assertEquals(SET_MANAGER, ask(begin(SET_MANAGER).putInt(4, 0).putInt(16, 1)));
        assertEquals(PortInfo.CAP_SM, capabilities() & PortInfo.CAP_SM);
    }

    /** Of the first node, a switch. */
    private int capabilities() {
        return host.call(fabric -> PortInfo.CAPABILITY_MASK.get(fabric.nodes().getFirst().port(0).copyInfo(), 0));
    }

    @Test
    void shouldIgnoreMessagesOfOtherLengths() throws IOException {
        client.write(ByteBuffer.allocate(79));
        client.write(ByteBuffer.allocate(81));
        client.write(ByteBuffer.allocate(0));
        assertEquals(CONNECT, connect(client.socket().getLocalPort()));
    }
}
