// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ibsim;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.softrdma.device.agent.Deadline;
import org.softrdma.fabric.host.FabricHost;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.fabric.mad.TransactionMark;
import org.softrdma.fabric.model.Fabric;
import org.softrdma.fabric.model.FabricNode;
import org.softrdma.fabric.model.FabricPort;
import org.softrdma.fabric.model.MadClient;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.ib.SaMad;
import org.softrdma.wire.ib.Smp;
import org.softrdma.wire.mad.Mad;

/**
 * Serves ibsim's protocol on a fabric: opensm and the tools of infiniband-diags, with the library that ibsim-run loads into them, manage
 * and show the fabric as if it were hardware.
 *
 * <p>A client's requests get a mark in the upper 16 bits of their transaction IDs, by which answers find it among the clients of its port,
 * as ibsim does it. Beyond ibsim, a request that nothing answers in time is returned as timed out, as the kernel does; without that, opensm
 * would wait for ever for a datagram that a cable lost.
 */
public final class IbsimServer implements AutoCloseable {
    /** Clients at a time. */
    public static final int MAX_CLIENTS = 64;
    /** Packets that wait for a client, which then loses the next one. */
    static final int MAX_WAITING = 4096;
    /** Requests of one client that wait for an answer; the oldest is returned as timed out when there are more. */
    static final int MAX_OUTSTANDING = 4096;
    /** Time for an answer. */
    private static final long TIMEOUT_NS = 1_000_000_000L;
    private static final long IDLE_NS = 100_000_000L;
    private static final System.Logger LOG = System.getLogger(IbsimServer.class.getName());

    private final FabricHost host;
    private final SimSockets sockets;
    private final Client[] clients = new Client[MAX_CLIENTS];
    private final ByteBuffer control = SimControl.allocate();
    private final ByteBuffer packet = ByteBuffer.allocateDirect(SimPacket.LENGTH);
    private final Thread thread;
    private volatile boolean closed;

    /** A packet for a client. */
    private record Waiting(ManagementPacket packet, int status, int bytes) {
    }

    private record Outstanding(ManagementPacket request, long dueNs) {
    }

    private final class Client implements MadClient {
        final int number;
        final FabricPort port;
        final TransactionMark mark;
        final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
        final Map<Long, Outstanding> outstanding = new LinkedHashMap<>();
        boolean manager;

        Client(int number, FabricPort port) {
            this.number = number;
            this.port = port;
            mark = TransactionMark.ofSimulatorClient(number);
        }

        /** Answers to its own requests, and requests for the subnet manager that it is: no other ones, which its library cannot take. */
        @Override
        public boolean accepts(ManagementPacket received) {
            if (MadMethod.isResponse(received.method())) {
                return mark.isOn(received.transactionId());
            }
            return manager && (received.isSubnetManagement() || received.managementClass() == SaMad.CLASS);
        }

        @Override
        public void deliver(ManagementPacket received) {
            if (MadMethod.isResponse(received.method())) {
                outstanding.remove(TransactionMark.rest(received.transactionId()));
            }
            SinglePacket.reply(received).ifPresent(reply -> host.run(fabric -> fabric.send(port, reply, FabricHost.nowNs())));
            if (!SinglePacket.isForKernel(received)) {
                queue(received, 0, SinglePacket.bytes(received));
            }
        }

        void queue(ManagementPacket received, int status, int bytes) {
            if (waiting.size() < MAX_WAITING) {
                waiting.add(new Waiting(received.copy(), status, bytes));
                sockets.wakeup();
            }
        }

        void remember(ManagementPacket request) {
            if (outstanding.size() == MAX_OUTSTANDING) {
                timeOut(outstanding.remove(outstanding.keySet().iterator().next()).request);
            }
            outstanding.put(TransactionMark.rest(request.transactionId()), new Outstanding(request, FabricHost.nowNs() + TIMEOUT_NS));
        }

        void timeOut(ManagementPacket request) {
            queue(request, SimPacket.TIMED_OUT, Mad.LENGTH);
        }

        void expire(long nowNs) {
            for (Iterator<Outstanding> all = outstanding.values().iterator(); all.hasNext();) {
                Outstanding each = all.next();
                if (!Deadline.isDue(each.dueNs, nowNs)) {
                    return;
                }
                all.remove();
                timeOut(each.request);
            }
        }
    }

    private IbsimServer(FabricHost host, SimSockets sockets) {
        this.host = host;
        this.sockets = sockets;
        packet.order(ByteOrder.BIG_ENDIAN);
        thread = Thread.ofPlatform().name("softrdma-fabric-ibsim").daemon().start(this::serve);
    }

    /**
     * Serves on sockets of this host.
     *
     * @param base first part of the sockets' names, which clients read from IBSIM_SOCKNAME; {@code sim} without it
     */
    public static IbsimServer local(FabricHost host, String base) {
        return new IbsimServer(host, LocalSimSockets.server(base, MAX_CLIENTS));
    }

    /**
     * Serves on UDP ports of the loopback interface.
     *
     * @param port control port, which clients read from IBSIM_SERVER_PORT
     */
    public static IbsimServer udp(FabricHost host, int port) {
        return new IbsimServer(host, UdpSimSockets.server(port, MAX_CLIENTS));
    }

    private void serve() {
        while (!closed) {
            sockets.await(IDLE_NS);
            host.run(this::serve);
        }
        host.run(fabric -> {
            for (Client each : clients) {
                if (each != null) {
                    disconnect(fabric, each);
                }
            }
        });
        sockets.close();
    }

    private void serve(Fabric fabric) {
        int length = sockets.receive(SimSockets.CONTROL, control);
        while (length >= 0) {
            if (SimControl.isValid(control, length)) {
                serveControl(fabric);
                sockets.sendControl(control);
            }
            length = sockets.receive(SimSockets.CONTROL, control);
        }
        for (Client each : clients) {
            if (each != null) {
                receive(fabric, each);
                each.expire(FabricHost.nowNs());
            }
        }
        for (Client each : clients) {
            if (each != null) {
                flush(fabric, each);
            }
        }
    }

    private void receive(Fabric fabric, Client client) {
        int length = sockets.receive(client.number + 1, packet);
        while (length >= 0) {
            if (length == SimPacket.LENGTH) {
                send(fabric, client);
            }
            length = sockets.receive(client.number + 1, packet);
        }
    }

    private void send(Fabric fabric, Client client) {
        ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
        mad.put(0, packet, SimPacket.MAD_OFFSET, Mad.LENGTH);
        boolean directed = Mad.managementClass(mad, 0) == Smp.CLASS_DIRECTED;
        ManagementPacket sent = directed ? ManagementPacket.directed(mad)
            : new ManagementPacket(client.port.lid(), SimPacket.dlid(packet), SimPacket.sourceQpn(packet), SimPacket.destQpn(packet),
                ManagementPacket.DEFAULT_PKEY, 0, mad);
        long nowNs = FabricHost.nowNs();
        if (sent.isResponse()) {
            SinglePacket.fromClient(sent, SimPacket.bytes(packet));
            fabric.send(client.port, sent, nowNs);
            return;
        }
        ManagementPacket kept = sent.copy();
        client.mark.set(mad);
        client.remember(kept);
        if (!fabric.send(client.port, sent, nowNs)) {
            client.outstanding.remove(TransactionMark.rest(kept.transactionId()));
            client.timeOut(kept);
        }
    }

    private void flush(Fabric fabric, Client client) {
        while (!client.waiting.isEmpty()) {
            Waiting next = client.waiting.peek();
            SimPacket.put(packet, next.packet.dlid(), next.packet.slid(), next.packet.destQpn(), next.packet.sourceQpn(), next.status,
                next.bytes, next.packet.mad());
            SimSockets.Sent sent = sockets.send(client.number + 1, packet);
            if (sent == SimSockets.Sent.LATER) {
                return;
            }
            client.waiting.remove();
            if (sent == SimSockets.Sent.DEAD) {
                disconnect(fabric, client);
                return;
            }
        }
    }

    // ---- control messages ----

    private void serveControl(Fabric fabric) {
        int type = SimControl.type(control);
        int number = SimControl.client(control);
        if (type == SimControl.CONNECT) {
            connect(fabric);
        } else if (number < 0 || number >= MAX_CLIENTS || clients[number] == null || !serve(fabric, type, clients[number])) {
            SimControl.setType(control, SimControl.ERROR);
        }
    }

    private boolean serve(Fabric fabric, int type, Client client) {
        switch (type) {
            case SimControl.DISCONNECT -> disconnect(fabric, client);
            case SimControl.SET_MANAGER -> setManager(fabric, client, SimControl.isManager(control));
            default -> {
                return PortQuery.answer(type, client.port, control);
            }
        }
        return true;
    }

    private void connect(Fabric fabric) {
        FabricPort port = find(fabric, SimControl.nodeName(control));
        int number = freeNumber();
        boolean manager = SimControl.isManager(control);
        if (port == null || number < 0 || manager && hasManager(port)) {
            refuse(port == null ? "the fabric has no node \"" + SimControl.nodeName(control) + "\" (SIM_HOST)"
                : number < 0 ? MAX_CLIENTS + " clients are connected" : "a subnet manager runs at " + port);
            return;
        }
        try {
            sockets.connect(number + 1, SimControl.session(control));
        } catch (VerbsException unreachable) {
            refuse(unreachable.getMessage());
            return;
        }
        Client client = new Client(number, port);
        clients[number] = client;
        // The port shows its manager from SET_MANAGER on.
        client.manager = manager;
        fabric.attach(port, client);
        SimControl.setSession(control, number);
        SimControl.setNodeName(control, port.node().id());
    }

    private void refuse(String reason) {
        LOG.log(System.Logger.Level.WARNING, "ibsim client refused: " + reason);
        SimControl.setType(control, SimControl.ERROR);
    }

    /** The first port of a node; without a name, of the first one. A name may end with a port: {@code NODE:PORT}. */
    private static FabricPort find(Fabric fabric, String name) {
        FabricNode node = name.isEmpty() ? fabric.nodes().getFirst() : fabric.find(name);
        if (node != null) {
            return node.port(node.isSwitch() ? 0 : 1);
        }
        int colon = name.lastIndexOf(':');
        if (colon < 0 || !name.substring(colon + 1).matches("\\d{1,3}")) {
            return null;
        }
        node = fabric.find(name.substring(0, colon));
        return node == null ? null : node.port(Integer.parseInt(name.substring(colon + 1)));
    }

    private int freeNumber() {
        for (int i = 0; i < MAX_CLIENTS; i++) {
            if (clients[i] == null) {
                return i;
            }
        }
        return -1;
    }

    private boolean hasManager(FabricPort port) {
        for (Client each : clients) {
            if (each != null && each.port == port && each.manager) {
                return true;
            }
        }
        return false;
    }

    private void setManager(Fabric fabric, Client client, boolean running) {
        client.manager = running;
        fabric.setManager(client.port, hasManager(client.port), FabricHost.nowNs());
    }

    private void disconnect(Fabric fabric, Client client) {
        clients[client.number] = null;
        fabric.detach(client.port, client);
        if (client.manager) {
            setManager(fabric, client, false);
        }
    }

    /** Ends all sessions and closes the sockets. */
    @Override
    public void close() {
        closed = true;
        sockets.wakeup();
        try {
            thread.join();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
