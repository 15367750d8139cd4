// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.abi.ucm.UcmCommand;
import org.softrdma.abi.ucm.UcmConnectionParameters;
import org.softrdma.abi.ucm.UcmCreateId;
import org.softrdma.abi.ucm.UcmEvent;
import org.softrdma.abi.uverbs.QpAttributesRecord;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/**
 * Two programs connect, exchange data and disconnect, with the commands of librdmacm in its order. Expected masks, events and numbers are
 * those of the kernel's rxe and siw, as recorded from rdma-core's programs.
 */
@Timeout(60)
class UcmConnectionTest {
    private static final int CONNECT_REQUEST = 4;
    private static final int CONNECT_RESPONSE = 5;
    private static final int REJECTED = 8;
    private static final int ESTABLISHED = 9;
    private static final int DISCONNECTED = 10;
    private static final int TIMEWAIT_EXIT = 15;
    private static final int INIT = 1;
    private static final int RTR = 2;
    private static final int RTS = 3;
    private static final int PORT = 7471;

    @TempDir
    private Path state;
    private CmPrograms programs;
    private CmProgram client;
    private CmProgram server;
    private int clientChannel;
    private int serverChannel;
    private CmQueuePair clientQp;
    private CmQueuePair serverQp;

    private void begin(String transport) {
        programs = new CmPrograms(transport, state);
        client = programs.program("client");
        server = programs.program("server");
        clientChannel = client.open();
        serverChannel = server.open();
        clientQp = programs.keep(new CmQueuePair(programs, client, QpType.RC));
        serverQp = programs.keep(new CmQueuePair(programs, server, QpType.RC));
    }

    @AfterEach
    void end() {
        programs.close();
        assertEquals(0, programs.device.identifierCount(), "identifiers of programs that have ended");
    }

    private static int type(MemorySegment event) {
        return UcmEvent.event(event, 0);
    }

    /** Makes a connection and returns both identifiers: the client's, the server's. */
    private int[] connect(boolean iwarp) {
        int listener = server.listener(serverChannel, UcmCreateId.PS_TCP, PORT);
        int active = client.resolved(clientChannel, UcmCreateId.PS_TCP, PORT);
        clientQp.modify(client.queuePairAttributes(clientChannel, active, INIT));
        assertTrue(client.connect(clientChannel, active, clientQp.number(), "knock") > 0);

        MemorySegment request = server.event(serverChannel);
        assertEquals(CONNECT_REQUEST, type(request));
        assertEquals("knock", CmProgram.privateData(request));
        int passive = UcmEvent.id(request, 0);
        assertNotEquals(listener, passive);
        long at = UcmEvent.CONNECTION_PARAMETERS_OFFSET;
        assertEquals(5, UcmConnectionParameters.responderResources(request, at), "the peer's initiator depth");
        assertEquals(3, UcmConnectionParameters.initiatorDepth(request, at), "the peer's responder resources");
        serverQp.modify(server.queuePairAttributes(serverChannel, passive, INIT));
        serverQp.modify(server.queuePairAttributes(serverChannel, passive, RTR));
        serverQp.modify(server.queuePairAttributes(serverChannel, passive, RTS));
        assertTrue(server.accept(serverChannel, passive, 0xabc, serverQp.number(), "come in", 5, 3) > 0);

        MemorySegment answer = client.event(clientChannel);
        assertEquals(iwarp ? ESTABLISHED : CONNECT_RESPONSE, type(answer));
        assertEquals("come in", CmProgram.privateData(answer));
        if (!iwarp) {
            assertEquals(serverQp.number(), UcmConnectionParameters.qpNum(answer, at));
            clientQp.modify(client.queuePairAttributes(clientChannel, active, INIT));
            clientQp.modify(client.queuePairAttributes(clientChannel, active, RTR));
            clientQp.modify(client.queuePairAttributes(clientChannel, active, RTS));
            assertTrue(client.establish(clientChannel, active) > 0);
        }
        MemorySegment established = server.event(serverChannel);
        assertEquals(ESTABLISHED, type(established));
        assertEquals(0xabc, UcmEvent.uid(established, 0), "the cookie given to accept");
        assertEquals(passive, UcmEvent.id(established, 0));
        assertEquals(QpState.RTS, clientQp.qp.state());
        assertEquals(QpState.RTS, serverQp.qp.state());
        return new int[] {active, passive, listener};
    }

    private static void complete(CmQueuePair qp) {
        WorkCompletion[] one = WorkCompletion.array(1);
        long untilNs = System.nanoTime() + 30_000_000_000L;
        while (qp.cq.poll(one) == 0) {
            assertTrue(System.nanoTime() - untilNs < 0, "no completion");
            LockSupport.parkNanos(50_000);
        }
        assertEquals(WcStatus.SUCCESS, one[0].status());
    }

    @ParameterizedTest
    @ValueSource(strings = {"rxe", "siw"})
    void shouldConnectExchangeDataAndDisconnect(String transport) {
        begin(transport);
        int[] ids = connect(transport.equals("siw"));
        serverQp.qp.postReceive(new ReceiveRequest().begin(1).element(serverQp.region, 0, 64));
        clientQp.memory.set(ValueLayout.JAVA_LONG, 0, 0x1122334455667788L);
        clientQp.qp.postSend(new SendRequest().send().element(clientQp.region, 0, 8).signaled());
        complete(clientQp);
        complete(serverQp);
        assertEquals(0x1122334455667788L, serverQp.memory.get(ValueLayout.JAVA_LONG, 0));

        readAndWrite(clientQp, serverQp);
        readAndWrite(serverQp, clientQp);

        assertTrue(client.disconnect(clientChannel, ids[0]) > 0);
        MemorySegment told = server.event(serverChannel);
        assertEquals(DISCONNECTED, type(told));
        assertEquals(0xabc, UcmEvent.uid(told, 0));
        assertTrue(server.disconnect(serverChannel, ids[1]) > 0);
        assertEquals(DISCONNECTED, type(client.event(clientChannel)));
        assertEquals(4, client.destroy(clientChannel, ids[0]), "ADDR_RESOLVED, ROUTE_RESOLVED, one of 5 and 9, DISCONNECTED");
        assertEquals(2, server.destroy(serverChannel, ids[1]), "ESTABLISHED, DISCONNECTED");
        assertEquals(1, server.destroy(serverChannel, ids[2]), "the request counts for the listener");
    }

    /** Both sides have granted remote access by INIT_QP_ATTR, also the connecting side of iWARP, which modifies its queue pair once. */
    private static void readAndWrite(CmQueuePair from, CmQueuePair to) {
        from.memory.set(ValueLayout.JAVA_LONG, 1024, from.number());
        from.qp.postSend(new SendRequest().write(to.region.address() + 2048, to.region.rkey()).element(from.region, 1024, 8).signaled());
        complete(from);
        from.qp.postSend(new SendRequest().read(to.region.address() + 2048, to.region.rkey()).element(from.region, 3072, 8).signaled());
        complete(from);
        assertEquals(from.number(), from.memory.get(ValueLayout.JAVA_LONG, 3072));
    }

    /** Masks that the kernel's rdma_cm answers with: facts of rdma-core 44 on Linux 6.1. */
    @Test
    void shouldAnswerWithTheKernelsMasks() {
        begin("rxe");
        int[] ids = connect(false);
        for (int[] stateAndMask : new int[][] {{INIT, 0x39}, {RTR, 0x129181}, {RTS, 0x12e01}}) {
            MemorySegment attributes = client.queuePairAttributes(clientChannel, ids[0], stateAndMask[0]);
            assertEquals(Integer.toHexString(stateAndMask[1]), Integer.toHexString(QpAttributesRecord.qpAttrMask(attributes, 0)));
            assertEquals(stateAndMask[0], QpAttributesRecord.qpState(attributes, 0));
        }
        MemorySegment rtr = client.queuePairAttributes(clientChannel, ids[0], RTR);
        assertEquals(serverQp.number(), QpAttributesRecord.destQpNum(rtr, 0));
        assertEquals(3, QpAttributesRecord.maxDestRdAtomic(rtr, 0), "what the server starts at once");
        MemorySegment rts = client.queuePairAttributes(clientChannel, ids[0], RTS);
        assertEquals(5, QpAttributesRecord.maxRdAtomic(rts, 0), "what the server accepts at once");
        assertEquals(7, QpAttributesRecord.retryCnt(rts, 0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rxe", "siw"})
    void shouldReject(String transport) {
        begin(transport);
        server.listener(serverChannel, UcmCreateId.PS_TCP, PORT);
        int active = client.resolved(clientChannel, UcmCreateId.PS_TCP, PORT);
        clientQp.modify(client.queuePairAttributes(clientChannel, active, INIT));
        client.connect(clientChannel, active, clientQp.number(), "");
        int passive = UcmEvent.id(server.event(serverChannel), 0);
        assertEquals(-22, server.reject(serverChannel, passive, 8, "no"), "a reason that is not for programs");
        assertTrue(server.reject(serverChannel, passive, 0, "not today") > 0);
        MemorySegment rejected = client.event(clientChannel);
        assertEquals(REJECTED, type(rejected));
        assertEquals("not today", CmProgram.privateData(rejected));
        assertEquals(transport.equals("rxe") ? 28 : -104, UcmEvent.status(rejected, 0), "by the consumer; on siw ECONNRESET");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rxe", "siw"})
    void shouldReportThatNobodyListens(String transport) {
        begin(transport);
        int active = client.resolved(clientChannel, UcmCreateId.PS_TCP, PORT + 1);
        clientQp.modify(client.queuePairAttributes(clientChannel, active, INIT));
        client.connect(clientChannel, active, clientQp.number(), "");
        MemorySegment rejected = client.event(clientChannel);
        assertEquals(REJECTED, type(rejected));
        assertEquals(transport.equals("rxe") ? 8 : -111, UcmEvent.status(rejected, 0), "invalid service ID; on siw ECONNREFUSED");
    }

    /** A killed program's files are closed by the kernel: its peer learns of it at once, and its ports are free. */
    @ParameterizedTest
    @ValueSource(strings = {"rxe", "siw"})
    void shouldTellThePeerOfAProgramThatEnds(String transport) {
        begin(transport);
        int[] ids = connect(transport.equals("siw"));
        long beforeNs = System.nanoTime();
        server.exit();
        MemorySegment event = client.event(clientChannel);
        assertEquals(DISCONNECTED, type(event));
        assertEquals(0, UcmEvent.status(event, 0));
        assertTrue(System.nanoTime() - beforeNs < 1_000_000_000L, "told within a second, as by the kernel");
        client.disconnect(clientChannel, ids[0]);
        CmProgram next = programs.program("next");
        next.listener(next.open(), UcmCreateId.PS_TCP, PORT);
    }

    @Test
    void shouldRefuseRequestsThatWaitWhenAProgramEnds() {
        begin("rxe");
        server.listener(serverChannel, UcmCreateId.PS_TCP, PORT);
        int active = client.resolved(clientChannel, UcmCreateId.PS_TCP, PORT);
        clientQp.modify(client.queuePairAttributes(clientChannel, active, INIT));
        client.connect(clientChannel, active, clientQp.number(), "");
        awaitReadable(server, serverChannel, 1);
        server.exit();
        assertEquals(REJECTED, type(client.event(clientChannel)));
    }

    static void awaitReadable(CmProgram program, int channel, int events) {
        long untilNs = System.nanoTime() + 30_000_000_000L;
        while (program.readable(channel) != events) {
            assertTrue(System.nanoTime() - untilNs < 0, "readable: " + program.readable(channel));
            LockSupport.parkNanos(50_000);
        }
    }

    /** One table of ports for all programs. */
    @Test
    void shouldShareOneTableOfPorts() {
        begin("rxe");
        int first = server.listener(serverChannel, UcmCreateId.PS_TCP, PORT);
        int second = client.create(clientChannel, UcmCreateId.PS_TCP);
        assertEquals(-98, client.bind(clientChannel, second, CmProgram.loopback(PORT)));
        assertTrue(server.destroy(serverChannel, first) >= 0);
        assertTrue(client.bind(clientChannel, second, CmProgram.loopback(PORT)) > 0);
    }

    @Test
    void shouldConnectOverIpv6() {
        begin("siw");
        InetSocketAddress here = new InetSocketAddress(InetAddress.ofLiteral("::1"), PORT);
        int listener = server.create(serverChannel, UcmCreateId.PS_TCP);
        assertTrue(server.bind(serverChannel, listener, here) > 0);
        assertTrue(server.listen(serverChannel, listener, 0) > 0);
        int active = client.create(clientChannel, UcmCreateId.PS_TCP);
        assertTrue(client.resolve(clientChannel, active, here) > 0);
        assertEquals(0, type(client.event(clientChannel)));
        assertTrue(client.resolveRoute(clientChannel, active) > 0);
        assertEquals(2, type(client.event(clientChannel)));
        clientQp.modify(client.queuePairAttributes(clientChannel, active, INIT));
        assertTrue(client.connect(clientChannel, active, clientQp.number(), "six") > 0);
        MemorySegment request = server.event(serverChannel);
        assertEquals("six", CmProgram.privateData(request));
        MemorySegment addresses = server.query(serverChannel, UcmCommand.QUERY, UcmEvent.id(request, 0), 0, 280);
        assertEquals(10, addresses.get(ValueLayout.JAVA_SHORT, 16), "AF_INET6");
        assertEquals(1, addresses.get(ValueLayout.JAVA_BYTE, 16 + 8 + 15), "::1");
    }

    /** The kernel drops events of the identifier of a request until it is accepted; accepting it fails. */
    @Test
    void shouldRefuseToAcceptADesertedRequest() {
        begin("rxe");
        server.listener(serverChannel, UcmCreateId.PS_TCP, PORT);
        int active = client.resolved(clientChannel, UcmCreateId.PS_TCP, PORT);
        clientQp.modify(client.queuePairAttributes(clientChannel, active, INIT));
        client.connect(clientChannel, active, clientQp.number(), "");
        int passive = UcmEvent.id(server.event(serverChannel), 0);
        client.exit();
        MemorySegment attributes = server.allocate(QpAttributesRecord.BYTES);
        long untilNs = System.nanoTime() + 30_000_000_000L;
        while (server.write(serverChannel, server.attributesCommand(passive, RTR, attributes)) > 0) {
            assertTrue(System.nanoTime() - untilNs < 0, "the request was not withdrawn");
        }
        assertEquals(-22, server.accept(serverChannel, passive, 1, serverQp.number(), "", 0, 0));
        assertEquals(-11, server.tryEvent(serverChannel));
    }

    @Test
    void shouldReportTheEndOfTimewait() {
        begin("rxe");
        int[] ids = connect(false);
        client.disconnect(clientChannel, ids[0]);
        server.event(serverChannel);
        server.disconnect(serverChannel, ids[1]);
        assertEquals(DISCONNECTED, type(client.event(clientChannel)));
        assertEquals(TIMEWAIT_EXIT, type(client.event(clientChannel)));
    }
}
