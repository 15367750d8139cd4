// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator.cm;

import org.softrdma.device.SeededRandom;
import org.softrdma.rxe.cm.Connection;
import org.softrdma.rxe.cm.ConnectionListener;
import org.softrdma.rxe.cm.ConnectionState;
import org.softrdma.rxe.cm.RepFields;
import org.softrdma.rxe.sim.CmWorld;
import org.softrdma.wire.cm.CmRejectReason;

/** One end of a connection as an application has it: a queue pair, and what is known of the peer. */
final class CmEnd implements ConnectionListener {
    private static final long SECOND = CmWorld.SECOND;
    private static final byte[] NOTHING = {};

    private final CmSeedRun run;
    private final CmMachine machine;
    private final CmWorld world;
    private final SeededRandom random;
    private final int qpn;
    private Connection connection;
    private boolean mayReceive;
    private boolean maySend;
    private boolean established;
    private boolean ended;
    private boolean inTimewait;
    private boolean crashed;

    CmEnd(CmSeedRun run, CmMachine machine) {
        this.run = run;
        this.machine = machine;
        world = run.world();
        random = run.random();
        qpn = machine.newQp(this);
    }

    void connection(Connection made) {
        connection = made;
    }

    Connection connection() {
        return connection;
    }

    CmMachine machine() {
        return machine;
    }

    int qpn() {
        return qpn;
    }

    boolean maySend() {
        return maySend;
    }

    boolean mayReceive() {
        return connection != null && mayReceive;
    }

    boolean isEstablished() {
        return established;
    }

    /** Returns the peer's queue pair number, or −1 if it is not known. */
    int remoteQpn() {
        return connection.isPeerKnown() ? connection.remoteQpn() : -1;
    }

    // ---- calls of the application ----

    private boolean isOver() {
        return crashed || ended;
    }

    void accept() {
        if (isOver()) {
            return;
        }
        mayReceive = true;
        maySend = true;
        connection.accept(world.nowNs(), RepFields.builder().qpn(qpn).startingPsn(0x222222).responderResources(5).initiatorDepth(4)
            .targetAckDelay(15).rnrRetryCount(7).privateData(new byte[] {4, 5}).build());
    }

    void reject() {
        if (!isOver()) {
            connection.reject(world.nowNs(), CmRejectReason.CONSUMER, NOTHING);
            end();
        }
    }

    void abandon() {
        if (!isOver()) {
            run.count(CmOutcome.ABANDONED);
            connection.abandon(world.nowNs());
            end();
        }
    }

    void disconnect() {
        if (isOver()) {
            return;
        }
        mayReceive = false;
        maySend = false;
        if (connection.state() == ConnectionState.ESTABLISHED || connection.state() == ConnectionState.DREQ_RECEIVED) {
            boolean answers = connection.state() == ConnectionState.DREQ_RECEIVED;
            connection.disconnect(world.nowNs());
            if (answers) {
                end();
            }
        } else if (connection.state() != ConnectionState.DREQ_SENT) {
            abandon();
        }
    }

    /** Destroys the queue pair. */
    private void end() {
        CmSeedRun.require(!ended, this + " ends twice");
        ended = true;
        mayReceive = false;
        maySend = false;
        established = false;
        machine.destroyQp(qpn, this);
    }

    /** The machine has crashed. */
    void onCrash() {
        crashed = true;
    }

    // ---- events ----

    private void note(String event) {
        CmSeedRun.require(!isOver(), this + " is notified after its end: " + event);
        world.note(this + ": " + event);
    }

    @Override
    public void onReply(Connection replied) {
        note("reply");
        mayReceive = true;
        int decision = random.below(100);
        world.in(random.between(0, random.chance(0.1) ? 40 * SECOND : SECOND), () -> {
            if (isOver() || connection.state() != ConnectionState.REP_RECEIVED) {
                return;
            }
            if (decision < 90) {
                maySend = true;
                establish();
                connection.confirm(world.nowNs(), NOTHING);
            } else if (decision < 95) {
                reject();
            } else {
                abandon();
            }
        });
    }

    @Override
    public void onEstablished(Connection confirmed) {
        note("established");
        CmSeedRun.require(!connection.isActive() && !established, this + " is established twice");
        establish();
    }

    private void establish() {
        established = true;
        run.count(CmOutcome.ESTABLISHED);
        if (random.chance(0.7)) {
            world.in(random.between(0, 60 * SECOND), random.chance(0.8) ? this::disconnect : this::abandon);
        }
    }

    @Override
    public void onRejected(Connection rejected, int reason, byte[] privateData) {
        note("rejected " + CmRejectReason.name(reason));
        run.count(CmOutcome.REJECTED);
        CmSeedRun.require(run.crashed() || reason != CmRejectReason.STALE_CONNECTION
            && reason != CmRejectReason.DUPLICATE_LOCAL_COMM_ID, this + " is taken for an old one");
        end();
    }

    @Override
    public void onPortUnreachable(Connection returned) {
        throw new AssertionError("this network returns nothing");
    }

    @Override
    public void onUnreachable(Connection unanswered) {
        note("unreachable");
        run.requireLoss(this);
        run.count(CmOutcome.UNREACHABLE);
        end();
    }

    @Override
    public void onDisconnectRequest(Connection ending) {
        note("peer disconnects");
        run.count(CmOutcome.DISCONNECTED_BY_PEER);
        established = false;
        maySend = false;
        world.in(random.between(0, 5 * SECOND), random.chance(0.8) ? this::disconnect : this::abandon);
    }

    @Override
    public void onDisconnected(Connection ending, boolean timedOut) {
        note("disconnected" + (timedOut ? ", no answer" : ""));
        if (timedOut) {
            run.requireLoss(this);
        }
        run.count(timedOut ? CmOutcome.DISCONNECT_UNANSWERED : CmOutcome.DISCONNECTED_BY_US);
        end();
    }

    @Override
    public void onTimewaitExit(Connection gone) {
        CmSeedRun.require(!crashed && !inTimewait && ended, this + " leaves timewait before its end, or twice");
        inTimewait = true;
    }

    @Override
    public String toString() {
        return "qp " + qpn + " of " + machine + " (" + connection + ")";
    }
}
