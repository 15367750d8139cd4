// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.cm.CmDevice;
import org.softrdma.cm.CmHost;
import org.softrdma.cm.SoftConnectionManager;
import org.softrdma.device.sim.Simulation;
import org.softrdma.device.verbs.SoftContext;
import org.softrdma.host.loopback.LoopbackListeners;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.link.sim.SimulatedFabric;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/**
 * Connections on virtual time: programs that use librdmacm's calls only, two devices, and a network that loses, duplicates and delays.
 * Every connection must be established, carry its message once, and end, for both.
 */
class ConnectionManagerSimulationTest {
    private static final int CONNECTIONS = 25;
    private static final int PORT = 7471;
    private static final long SECOND_NS = 1_000_000_000L;
    private static final ConnectionParameters PARAMETERS = ConnectionParameters.DEFAULT.withReads(1, 1);

    /** A machine with one device and one program. */
    private abstract static class Program implements CmHost, CmDevice {
        final InetAddress address;
        final SoftConnectionManager manager = new SoftConnectionManager(this);
        final SoftContext context;
        final EventChannel channel = manager.createEventChannel();
        final WorkCompletion[] completions = WorkCompletion.array(16);
        final Arena arena = Arena.ofShared();
        CompletionQueue cq;
        MemoryRegion memory;
        int ended;

        Program(Simulation simulation, int number, long seed) {
            Gid gid = Gid.ofIpv4(0x0a000000 | number);
            address = gid.toInetAddress();
            context = (SoftContext) SimulatedRxe.open(simulation, ((SimulatedFabric) simulation.world()).attach(gid),
                new SplittableRandom(seed ^ number), 1500);
        }

        abstract void handle(CmEvent event);

        abstract void onCompletion(WorkCompletion completion);

        /** Handles the events that are queued. */
        void step() {
            for (CmEvent event = channel.getEvent(0); event != null; event = channel.getEvent(0)) {
                handle(event);
                event.ack();
            }
            int count = cq == null ? 0 : cq.poll(completions);
            for (int i = 0; i < count; i++) {
                onCompletion(completions[i]);
            }
        }

        void createQp(CmId id) {
            if (cq == null) {
                cq = id.verbs().createCq(4 * CONNECTIONS);
                memory = id.pd().register(arena.allocate(4L * CONNECTIONS), AccessFlags.LOCAL_WRITE);
            }
            id.createQp(null, QpInitAttributes.rc(cq, new QpCapabilities(1, 1, 1, 1, 0)));
        }

        @Override
        public List<CmDevice> devices() {
            return List.of(this);
        }

        @Override
        public boolean has(InetAddress other) {
            return owns(other);
        }

        @Override
        public InetAddress sourceFor(InetAddress destination) {
            return address;
        }

        @Override
        public LoopbackListeners loopbackListeners() {
            return null;
        }

        @Override
        public boolean isFree(PortSpace space, InetSocketAddress address) {
            return true;
        }

        @Override
        public int random(int bound) {
            return 0;
        }

        @Override
        public String name() {
            return "rxe0";
        }

        @Override
        public boolean carries(PortSpace space) {
            return true;
        }

        @Override
        public boolean owns(InetAddress other) {
            return address.equals(other);
        }

        @Override
        public SoftContext open() {
            return context;
        }
    }

    private static final class Server extends Program {
        final BitSet requested = new BitSet();
        final BitSet received = new BitSet();
        private int accepted;

        Server(Simulation simulation, long seed) {
            super(simulation, 1, seed);
            CmId listener = manager.createId(channel, null, PortSpace.TCP);
            listener.bind(new InetSocketAddress(address, PORT));
            listener.listen(0);
        }

        @Override
        void handle(CmEvent event) {
            CmId id = event.id();
            switch (event.type()) {
                case CONNECT_REQUEST -> {
                    int index = event.connection().privateData()[0];
                    assertTrue(!requested.get(index), "connection " + index + " was requested twice");
                    requested.set(index);
                    createQp(id);
                    id.qp().postReceive(new ReceiveRequest().begin(accepted).element(memory, 4L * accepted, 4));
                    accepted++;
                    id.accept(PARAMETERS.withPrivateData(new byte[] {(byte) (index + 100)}));
                    assertEquals(QpState.RTS, id.qp().state());
                }
                case DISCONNECTED -> {
                    id.disconnect();
                    ended++;
                }
                case ESTABLISHED, TIMEWAIT_EXIT -> {
                    // Expected.
                }
                default -> throw new AssertionError(event.toString());
            }
        }

        @Override
        void onCompletion(WorkCompletion completion) {
            if (completion.status() == WcStatus.SUCCESS) {
                int index = memory.memory().get(ValueLayout.JAVA_INT, 4 * completion.wrId());
                assertTrue(!received.get(index), "message " + index + " came twice");
                received.set(index);
            }
        }
    }

    private static final class Client extends Program {
        private final CmId[] ids = new CmId[CONNECTIONS];

        Client(Simulation simulation, long seed, InetAddress server) {
            super(simulation, 2, seed);
            for (int i = 0; i < CONNECTIONS; i++) {
                ids[i] = manager.createId(channel, i, PortSpace.TCP);
                ids[i].resolveAddress(null, new InetSocketAddress(server, PORT), 2000);
            }
        }

        @Override
        void handle(CmEvent event) {
            CmId id = event.id();
            int index = (Integer) id.context();
            switch (event.type()) {
                case ADDR_RESOLVED -> id.resolveRoute(2000);
                case ROUTE_RESOLVED -> {
                    createQp(id);
                    id.connect(PARAMETERS.withPrivateData(new byte[] {(byte) index}));
                }
                case ESTABLISHED -> {
                    assertEquals(index + 100, event.connection().privateData()[0]);
                    memory.memory().set(ValueLayout.JAVA_INT, 4L * index, index);
                    id.qp().postSend(new SendRequest().send().wrId(index).element(memory, 4L * index, 4).signaled());
                }
                case DISCONNECTED -> ended++;
                case TIMEWAIT_EXIT -> {
                    // Expected.
                }
                default -> throw new AssertionError(event.toString());
            }
        }

        @Override
        void onCompletion(WorkCompletion completion) {
            assertEquals(WcStatus.SUCCESS, completion.status());
            ids[(int) completion.wrId()].disconnect();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldConnectCarryAndEndWhateverTheNetworkDoes(long seed) {
        FaultPlan faults = FaultPlan.NONE.withLoss(0.1).withDuplication(0.1).withReordering(0.2, 1_000_000);
        SimulatedFabric fabric = new SimulatedFabric(seed, faults);
        Simulation simulation = new Simulation(fabric);
        Server server = new Server(simulation, seed);
        Client client = new Client(simulation, seed, server.address);
        boolean done = simulation.runUntil(() -> {
            server.step();
            client.step();
            return server.ended == CONNECTIONS && client.ended == CONNECTIONS;
        }, 1000 * SECOND_NS);
        assertTrue(done, () -> "seed " + seed + ": " + server.requested.cardinality() + " requested, " + server.received.cardinality()
            + " received, ended " + client.ended + " and " + server.ended);
        assertEquals(CONNECTIONS, server.received.cardinality(), "seed " + seed);
    }
}
