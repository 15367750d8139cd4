// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.run;

import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.softrdma.device.agent.Deadline;
import org.softrdma.fabric.ibsim.IbsimClient;
import org.softrdma.fabric.ibsim.SimServer;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.fabric.sm.SmCounter;
import org.softrdma.fabric.sm.SmSettings;
import org.softrdma.fabric.sm.SubnetManager;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.ib.SmInfo;

/** A subnet manager in real time, at a port of ibsim or of a fabric that speaks its protocol. One thread runs it; any thread ends it. */
public final class ManagerProcess implements AutoCloseable {
    /** Names as of opensm, by SMState. */
    private static final String[] STATES = {"NOT ACTIVE", "DISCOVERING", "STANDBY", "MASTER"};
    private static final long MILLISECOND_NS = 1_000_000L;
    private static final long SECOND_NS = 1_000_000_000L;
    /** Bits of the transaction ID that the manager begins with; they leave room to count. */
    private static final int FIRST_TRANSACTION_BITS = 31;

    private final IbsimClient client;
    private final SubnetManager manager;
    private final Consumer<String> events;
    private int reportedState = SmInfo.STATE_DISCOVERING;
    private long reportedUp;
    private long reportedTraps;
    private volatile boolean ended;

    /**
     * Begins a session at the node. The manager does not run yet.
     *
     * @param events receives a line for each event
     * @throws VerbsException ECONNREFUSED: no server is there; EINVAL: it refuses the node, or a second manager there; ETIMEDOUT: it does
     *                        not answer
     */
    public ManagerProcess(ManagerOptions options, Consumer<String> events) {
        this.events = events;
        client = IbsimClient.connect(options.udp() == null ? new SimServer.Local(options.base()) : new SimServer.Udp(options.udp()),
            options.node(), true);
        long sweepNs = options.sweepSeconds() == 0 ? Deadline.NEVER : options.sweepSeconds() * SECOND_NS;
        long firstTransaction = new SecureRandom().nextLong(1L << FIRST_TRANSACTION_BITS);
        manager = new SubnetManager(new SmSettings(client.portGuid(), options.priority(), sweepNs, options.timeoutMs() * MILLISECOND_NS,
            false, options.partitions(), firstTransaction), System.nanoTime());
    }

    /** Id of the node, as the server says it. */
    public String node() {
        return client.node();
    }

    /** GUID of the port, u64. */
    public long portGuid() {
        return client.portGuid();
    }

    /**
     * Manages the subnet.
     *
     * @param once whether it ends after the first sweep
     * @return whether the subnet was up after the last sweep
     * @throws VerbsException ENODEV: the server is gone
     */
    public boolean run(boolean once) {
        while (!ended && !(once && manager.hasSwept())) {
            step();
        }
        return manager.isUp();
    }

    private void step() {
        long nowNs = System.nanoTime();
        for (ManagementPacket each = client.receive(); each != null; each = client.receive()) {
            manager.onPacket(each, nowNs);
        }
        manager.onTime(nowNs);
        for (ManagementPacket each = manager.transmit(nowNs); each != null; each = manager.transmit(nowNs)) {
            client.send(each);
        }
        report();
        if (!manager.wantsSweep()) {
            long leftNs = Math.min(SECOND_NS, Deadline.remainingNs(manager.deadlineNs(), System.nanoTime()));
            if (leftNs > 0) {
                client.await(leftNs);
            }
        }
    }

    private void report() {
        if (manager.state() != reportedState) {
            reportedState = manager.state();
            events.accept("Entering " + STATES[reportedState] + " state");
        }
        long traps = manager.counters().get(SmCounter.TRAPS);
        if (traps != reportedTraps) {
            events.accept("traps received: " + (traps - reportedTraps));
            reportedTraps = traps;
        }
        long up = manager.counters().get(SmCounter.SUBNET_UP);
        if (up != reportedUp) {
            events.accept("SUBNET UP");
            reportedUp = up;
        }
    }

    /** Lets {@link #run} return soon. Any thread. */
    public void end() {
        ended = true;
        client.wakeup();
    }

    /** Counters of the manager and its subnet administration, of the thread that runs it. */
    public Map<String, Long> counters() {
        Map<String, Long> all = new LinkedHashMap<>(manager.counters().toMap());
        all.putAll(manager.administrator().counters().toMap());
        return all;
    }

    /** Leaves the node. */
    @Override
    public void close() {
        client.close();
    }
}
