// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.world;

import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.softrdma.lab.ladder.Ladder;
import org.softrdma.testing.DeviceKind;
import org.softrdma.testing.Fabric;
import org.softrdma.verbs.AsyncEvent;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;

/**
 * A simulated fabric that a learner works with: devices, connections, what was done and what came of it. All calls come from the thread
 * that created it; {@link WorldThread} sees to that.
 */
public final class SimulatedWorld implements Simulation {
    static final int QUEUE_DEPTH = 512;
    private static final int MAX_LOG = 20_000;
    private static final int POLL_BATCH = 64;

    private final Scene scene;
    private final Fabric fabric;
    private final Ladder ladder = new Ladder();
    private final List<End> ends = new ArrayList<>();
    private final Map<Integer, ProtectionDomain> pds = new TreeMap<>();
    private final Map<Integer, SharedReceiveQueue> shared = new TreeMap<>();
    private final List<Happening> log = new ArrayList<>();
    private final List<Completion> completions = new ArrayList<>();
    private final List<Command> commands = new ArrayList<>();
    private final Map<Integer, AddressedConnection> addressed = new TreeMap<>();
    private final Actions actions;
    private String faults;
    private final WorkCompletion[] polled = WorkCompletion.array(POLL_BATCH);

    public SimulatedWorld(Scene scene) {
        this.scene = scene.checked();
        faults = scene.faults();
        fabric = Fabric.simulated(scene.options());
        fabric.observe((nowNs, from, to, packet, offset, length, fate) -> {
            byte[] bytes = new byte[length];
            packet.get(offset, bytes);
            ladder.onPacket(nowNs, lane(from), lane(to), bytes, fate);
        }, new StreamsOfLadder(fabric, ladder));
        for (int number = 0; number < scene.connections().size(); number++) {
            open(number, scene.connections().get(number));
        }
        actions = new Actions(this);
        ends.stream().filter(end -> end.qp != null).forEach(end -> end.shown = end.qp.state());
        fabric.counters().reset();
    }

    private static int lane(Gid gid) {
        return (gid.ipv4() & 0xff) - 1;
    }

    // ---- the beginning ----

    private void open(int number, Scene.Connection connection) {
        End left = newEnd(2 * number, connection.left(), connection);
        End right = newEnd(2 * number + 1, connection.right(), connection);
        left.peer = right;
        right.peer = left;
        ends.add(left);
        ends.add(right);
        if (connection.begin() == Scene.Begin.ADDRESS) {
            addressed.put(number, new AddressedConnection(this, connection, left, right));
            return;
        }
        left.qp = left.pd.createQp(QpInitAttributes.rc(left.cq, capabilities()));
        right.qp = right.pd.createQp(QpInitAttributes.rc(right.cq, capabilities()).withSrq(sharedQueue(connection, right)));
        if (connection.begin() == Scene.Begin.RTS) {
            for (End end : List.of(left, right)) {
                QueuePairSteps.toInit(end);
                QueuePairSteps.toRtr(this, end, connection);
                QueuePairSteps.toRts(end, connection);
            }
        }
        postReceives(connection, right);
    }

    static QpCapabilities capabilities() {
        return new QpCapabilities(QUEUE_DEPTH, QUEUE_DEPTH, 1, 1, 0);
    }

    private End newEnd(int number, int device, Scene.Connection connection) {
        Context context = fabric.context(device);
        ProtectionDomain pd = pds.computeIfAbsent(device, none -> context.allocatePd());
        return new End(fabric, number, device, scene.devices().get(device).name(), context, pd, connection.memory(), connection.rights());
    }

    SharedReceiveQueue sharedQueue(Scene.Connection connection, End end) {
        return connection.sharedReceives() == 0 ? null
            : shared.computeIfAbsent(end.device, none -> end.pd.createSrq(connection.sharedReceives(), 1, 0));
    }

    void postReceives(Scene.Connection connection, End end) {
        for (int i = 0; i < connection.receives(); i++) {
            receive(end, connection.receiveBytes());
        }
    }

    /** Posts a receive at the beginning of an end's memory, to its own queue or to the shared one. */
    long receive(End end, int bytes) {
        long wrId = end.nextWrId++;
        ReceiveRequest request = new ReceiveRequest().begin(wrId).element(end.memory, 0, bytes);
        if (end.number % 2 == 1 && shared.containsKey(end.device)) {
            shared.get(end.device).postReceive(request);
        } else {
            end.qp.postReceive(request);
        }
        return wrId;
    }

    // ---- what a learner does ----

    @Override
    public void execute(Command command) {
        commands.add(command);
        try {
            actions.execute(command);
        } catch (VerbsException refused) {
            note("refused", command.endOr(-1), refused.getMessage());
            throw refused;
        }
        observe();
    }

    @Override
    public boolean step() {
        boolean goesOn = fabric.step();
        observe();
        return goesOn;
    }

    /** Takes what the devices report: completions, states, events. Polling lets no time pass. */
    private void observe() {
        fabric.runUntil(() -> {
            addressed.values().forEach(AddressedConnection::handleEvents);
            ends.forEach(this::poll);
            return true;
        }, Duration.ZERO);
        for (End end : ends) {
            if (end.qp != null && end.qp.state() != end.shown) {
                note("state", end.number, end.host + ": queue pair 0x" + Integer.toHexString(end.qp.qpNum()) + " is in " + end.qp.state());
                end.shown = end.qp.state();
            }
            for (AsyncEvent event = end.context.getAsyncEvent(0); event != null; event = end.context.getAsyncEvent(0)) {
                note("event", end.number, end.host + ": " + event);
                event.ack();
            }
        }
    }

    private void poll(End end) {
        int count = end.cq.poll(polled);
        while (count > 0) {
            for (int i = 0; i < count; i++) {
                WorkCompletion done = polled[i];
                completions.add(new Completion(fabric.nowNs(), end.number, done.wrId(), done.status().name(), done.opcode().name(),
                    done.byteLength()));
                note(done.isSuccess() ? "completion" : "failure", end.number, end.host + ": " + done);
            }
            count = end.cq.poll(polled);
        }
    }

    void note(String kind, int end, String text) {
        if (log.size() < MAX_LOG) {
            log.add(new Happening(fabric.nowNs(), kind, end, text));
        }
    }

    // ---- what there is ----

    @Override
    public long nowNs() {
        return fabric.nowNs();
    }

    @Override
    public String faults() {
        return faults;
    }

    void faults(String text) {
        fabric.faults(text);
        faults = text;
    }

    @Override
    public Scene scene() {
        return scene;
    }

    public Fabric fabric() {
        return fabric;
    }

    @Override
    public Ladder ladder() {
        return ladder;
    }

    @Override
    public List<Happening> log() {
        return log;
    }

    public List<Completion> completions() {
        return completions;
    }

    @Override
    public List<Command> commands() {
        return commands;
    }

    @Override
    public List<String> lanes() {
        return scene.devices().stream().map(Scene.Host::name).toList();
    }

    @Override
    public void describe(Cursor seen, Map<String, Object> news) {
        news.put("hosts", Hosts.grouped(Hosts.of(this)));
        news.put("completions", List.copyOf(completions.subList(seen.completions, completions.size())));
        seen.completions = completions.size();
        List<Map<String, Long>> counters = new ArrayList<>();
        for (int device = 0; device < fabric.size(); device++) {
            counters.add(fabric.counters().moved(device));
        }
        news.put("counters", counters);
    }

    List<End> ends() {
        return ends;
    }

    End end(int number) {
        if (number < 0 || number >= ends.size()) {
            throw new IllegalArgumentException("there is no end " + number);
        }
        return ends.get(number);
    }

    Scene.Connection connectionOf(End end) {
        return scene.connections().get(end.number / 2);
    }

    AddressedConnection addressed(int connection) {
        AddressedConnection found = addressed.get(connection);
        if (found == null) {
            throw new IllegalArgumentException("connection " + connection + " is not made by address");
        }
        return found;
    }

    boolean isIwarp(End end) {
        return fabric.kind(end.device) == DeviceKind.IWARP;
    }

    /** Memory of an end, as text, as far as it is printable. */
    public byte[] memory(int end, int offset, int bytes) {
        return end(end).memory.memory().asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE);
    }

    public String stateOf(int end) {
        End found = end(end);
        return found.qp == null ? "NONE" : found.qp.state().name();
    }

    @Override
    public void close() {
        addressed.values().forEach(AddressedConnection::close);
        fabric.close();
    }
}
