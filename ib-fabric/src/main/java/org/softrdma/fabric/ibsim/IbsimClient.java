// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ibsim;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicInteger;
import org.softrdma.device.agent.Deadline;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.fabric.mad.TransactionMark;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.ib.NodeInfo;
import org.softrdma.wire.ib.Rmpp;
import org.softrdma.wire.ib.SaMad;
import org.softrdma.wire.ib.SmAttribute;
import org.softrdma.wire.ib.Smp;
import org.softrdma.wire.mad.Mad;

/**
 * Sends and receives management datagrams at a port of ibsim, or of a fabric of ours, as the library that ibsim-run loads does it. Used by
 * one thread, but for {@link #wakeup}.
 *
 * <p>The server marks the upper 16 bits of the transaction IDs of requests, and leaves the mark in the answers; here it is removed. The
 * IDs of requests have at most 48 bits.
 */
public final class IbsimClient implements AutoCloseable {
    private static final int PACKETS = 1;
    private static final long ANSWER_NS = 5_000_000_000L;
    private static final long FULL_NS = 10_000_000L;
    /** Sends of one packet at most, each after a wait for room. */
    private static final int MAX_SENDS = 100;
    /** Greater than the process IDs of Linux. */
    private static final int SESSION_STRIDE = 1 << 22;
    private static final int SESSIONS = 256;
    private static final AtomicInteger OPENED = new AtomicInteger();

    private final SimServer server;
    private final SimSockets sockets;
    private final ByteBuffer control = SimControl.allocate();
    private final ByteBuffer packet = ByteBuffer.allocateDirect(SimPacket.LENGTH).order(ByteOrder.BIG_ENDIAN);
    private final int number;
    private final String node;
    private final long portGuid;

    private IbsimClient(SimServer server, SimSockets sockets, int session, String node, boolean manager) {
        this.server = server;
        this.sockets = sockets;
        SimControl.begin(control, 0, SimControl.CONNECT);
        SimControl.setSession(control, session);
        SimControl.setConnectingManager(control, manager);
        SimControl.setNodeName(control, node);
        query(SimControl.CONNECT, "node \"" + node + "\" (SIM_HOST): it does not exist, "
            + (manager ? "a subnet manager runs there, " : "") + "or there is no room for another client");
        number = SimControl.session(control);
        this.node = SimControl.nodeName(control);
        sockets.connect(PACKETS, number);
        portGuid = readPortGuid();
        if (manager) {
            // From here on others ask it: what they send must not be taken for an answer to the question above.
            SimControl.begin(control, number, SimControl.SET_MANAGER);
            SimControl.setManager(control, true);
            query(SimControl.SET_MANAGER, "a subnet manager at node \"" + node + "\"");
        }
    }

    /** The port's agent knows its GUID; ibsim's control messages have only that of the node. */
    private long readPortGuid() {
        ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
        Smp.beginDirected(mad, 0, MadMethod.GET, SmAttribute.NODE_INFO, 0, 1, 0, new byte[1]);
        long untilNs = System.nanoTime() + ANSWER_NS;
        send(ManagementPacket.directed(mad));
        ManagementPacket answer = receive();
        while (answer == null || answer.method() != MadMethod.GET_RESPONSE || answer.attribute() != SmAttribute.NODE_INFO) {
            sockets.await(awaitedNs(untilNs));
            answer = receive();
        }
        return NodeInfo.PORT_GUID.getLong(answer.mad(), Smp.DATA_OFFSET);
    }

    private long awaitedNs(long untilNs) {
        long leftNs = Deadline.remainingNs(untilNs, System.nanoTime());
        if (leftNs <= 0) {
            throw new VerbsException(Errno.ETIMEDOUT, "fabric", server + " does not answer: does ibsim or a fabric run there?");
        }
        return leftNs;
    }

    /**
     * Begins a session.
     *
     * @param node    id or description of the node whose first port is used; empty for the first node of the topology
     * @param manager whether the client is a subnet manager, to which its requests are delivered
     * @throws VerbsException ECONNREFUSED: no server is there; EINVAL: it refuses the node, or a second manager there; ETIMEDOUT: it does
     *                        not answer
     */
    public static IbsimClient connect(SimServer server, String node, boolean manager) {
        int session = (int) ProcessHandle.current().pid() + OPENED.getAndIncrement() % SESSIONS * SESSION_STRIDE;
        SimSockets sockets = switch (server) {
            case SimServer.Local local -> LocalSimSockets.client(local.base(), session);
            case SimServer.Udp udp -> UdpSimSockets.client(udp.control());
        };
        try {
            return new IbsimClient(server, sockets, sockets instanceof UdpSimSockets udp ? udp.session() : session, node, manager);
        } catch (VerbsException refused) {
            sockets.close();
            throw refused;
        }
    }

    /** Sends the control message, and waits until the answer is in its place. */
    private void query(int type, String what) {
        sockets.sendControl(control);
        long untilNs = System.nanoTime() + ANSWER_NS;
        int length = sockets.receive(SimSockets.CONTROL, control);
        while (length < 0 || !SimControl.isValid(control, length)) {
            sockets.await(awaitedNs(untilNs));
            length = sockets.receive(SimSockets.CONTROL, control);
        }
        if (SimControl.type(control) != type) {
            throw new VerbsException(Errno.EINVAL, "fabric", server + " refuses " + what);
        }
    }

    /** Id of the node, as the server says it. */
    public String node() {
        return node;
    }

    /** GUID of the port, u64. */
    public long portGuid() {
        return portGuid;
    }

    /**
     * Sends a datagram.
     *
     * @throws VerbsException ENODEV: the server is gone; EAGAIN: it does not receive
     */
    public void send(ManagementPacket sent) {
        SimPacket.put(packet, sent.dlid(), sent.slid(), sent.destQpn(), sent.sourceQpn(), 0, bytes(sent.mad()), sent.mad());
        for (int i = 0; i < MAX_SENDS; i++) {
            switch (sockets.send(PACKETS, packet)) {
                case YES -> {
                    return;
                }
                case DEAD -> throw new VerbsException(Errno.ENODEV, "fabric", server + " is gone");
                default -> sockets.await(FULL_NS);
            }
        }
        throw new VerbsException(Errno.EAGAIN, "fabric", server + " does not receive");
    }

    /** Bytes of a datagram that say something: of a table in one packet, the records; programs compute their number from it. */
    private static int bytes(ByteBuffer mad) {
        boolean whole = Mad.managementClass(mad, 0) == SaMad.CLASS && Rmpp.isActive(mad, 0) && Rmpp.TYPE.get(mad, 0) == Rmpp.TYPE_DATA
            && Rmpp.has(mad, 0, Rmpp.FLAG_FIRST) && Rmpp.has(mad, 0, Rmpp.FLAG_LAST);
        return whole ? Rmpp.HEADER_END + Rmpp.PAYLOAD_LENGTH.get(mad, 0) : Mad.LENGTH;
    }

    /** Next datagram received, or null. Requests of this client that the server returns as timed out are no answers, and left out. */
    public ManagementPacket receive() {
        for (int length = sockets.receive(PACKETS, packet); length >= 0; length = sockets.receive(PACKETS, packet)) {
            if (length == SimPacket.LENGTH && SimPacket.status(packet) == 0) {
                return received();
            }
        }
        return null;
    }

    private ManagementPacket received() {
        ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
        mad.put(0, packet, SimPacket.MAD_OFFSET, Mad.LENGTH);
        if (MadMethod.isResponse(Mad.method(mad, 0))) {
            mad.putLong(Mad.TRANSACTION_ID_OFFSET, TransactionMark.rest(Mad.transactionId(mad, 0)));
        }
        if (Mad.managementClass(mad, 0) == Smp.CLASS_DIRECTED) {
            return ManagementPacket.directed(mad);
        }
        return new ManagementPacket(SimPacket.slid(packet), SimPacket.dlid(packet), SimPacket.sourceQpn(packet),
            SimPacket.destQpn(packet), ManagementPacket.DEFAULT_PKEY, 0, mad);
    }

    /** Waits until a datagram may have been received, or a wake-up. */
    public void await(long timeoutNs) {
        sockets.await(timeoutNs);
    }

    /** Ends the current or next {@link #await}. Any thread. */
    public void wakeup() {
        sockets.wakeup();
    }

    /** Ends the session. */
    @Override
    public void close() {
        SimControl.begin(control, number, SimControl.DISCONNECT);
        try {
            query(SimControl.DISCONNECT, "the end of the session");
        } catch (VerbsException gone) {
            // A server that is gone has no session.
        } finally {
            sockets.close();
        }
    }
}
