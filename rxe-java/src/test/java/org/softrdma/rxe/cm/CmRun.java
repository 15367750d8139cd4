// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.softrdma.device.SeededRandom;
import org.softrdma.device.cm.RequestVerdict;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.wire.cm.CmRejectReason;

/**
 * One seed: two machines on a {@link CmWorld}, each with an application that does everything an application may do, at any time. A queue
 * pair is an entry in a table here. An established end looks now and then whether the peer's queue pair is there and thinks the same:
 * data would tell it, and it would disconnect. In some runs applications have nothing to send, so that no packet stands in for an RTU; in
 * some a machine goes away for good.
 *
 * <p>Ending up right is not enough, as lost and unanswered messages heal by themselves in time: once the network is whole, nobody may go
 * without an answer, and nobody may be taken for stale who was not.
 */
final class CmRun {
    private static final long SECOND = CmWorld.SECOND;
    private static final long SERVICE = CmHost.SERVICE;
    private static final byte[] NOTHING = {};
    private static final long HEALED_NS = 120 * SECOND;
    /** Time by which an end has given up on an answer that was lost before the network healed, even after an MRA. */
    private static final long LAST_SILENCE_NS = HEALED_NS + 100 * SECOND;

    /** Outcome of one end. */
    enum Outcome {
        ESTABLISHED, REJECTED, UNREACHABLE, DISCONNECTED_BY_US, DISCONNECTED_BY_PEER, DISCONNECT_UNANSWERED, ABANDONED, GAVE_UP_BY_DATA,
        REQUEST_DROPPED, CRASHED, LOST_FOR_GOOD, ESTABLISHED_BY_PACKET, STALE, STILL_CONNECTED_AT_THE_END
    }

    private final long seed;
    private final CmWorld world;
    private final SeededRandom random;
    private final Machine[] machines = new Machine[2];
    private final Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
    private boolean calm;
    private boolean crashed;
    private boolean hasData;

    CmRun(long seed) {
        this.seed = seed;
        world = new CmWorld(seed);
        random = new SeededRandom(~seed);
    }

    Map<Outcome, Integer> run() {
        try {
            int retries = random.chance(0.5) ? 15 : random.below(4);
            int inFlight = random.chance(0.5) ? CmSettings.of(0).maxInFlight() : 1 + random.below(3);
            for (int i = 0; i < 2; i++) {
                machines[i] = new Machine(i + 1, retries, inFlight);
            }
            world.trouble(random.below(80) / 100.0, random.below(50) / 100.0, random.below(60) / 100.0);
            int connects = 1 + random.below(12);
            long spreadNs = random.chance(0.2) ? SECOND / 1000 : 60 * SECOND;
            for (int i = 0; i < connects; i++) {
                Machine from = machines[random.below(2)];
                world.in(random.between(0, spreadNs), from::connect);
            }
            hasData = random.chance(0.5);
            if (random.chance(0.2)) {
                Machine victim = machines[random.below(2)];
                world.in(random.between(1, 90 * SECOND), victim::crash);
            }
            for (long atNs = 0; atNs < 2000 * SECOND; atNs += 10 * SECOND) {
                world.in(atNs, this::exchangeData);
            }
            world.runUntil(HEALED_NS);
            world.heal();
            calm = true;
            if (random.chance(0.1)) {
                loseForGood(machines[random.below(2)]);
            } else {
                world.runFor(400 * SECOND);
                checkAgreement();
            }
            for (Machine machine : machines) {
                machine.endAll();
            }
            world.runFor(400 * SECOND);
            for (Machine machine : machines) {
                require(machine.manager.isIdle(), machine.address + " still has connections");
                require(machine.ends.isEmpty(), machine.address + " still has queue pairs " + machine.ends.values());
            }
            for (Machine machine : machines) {
                add(Outcome.ESTABLISHED_BY_PACKET, machine.shell.count(CmCounter.CM_ESTABLISHED_BY_PACKET));
                add(Outcome.STALE, machine.shell.count(CmCounter.CM_STALE_CONNECTIONS));
            }
            return outcomes;
        } catch (RuntimeException | AssertionError failure) {
            throw new AssertionError("seed " + seed + ": " + failure.getMessage() + System.lineSeparator() + world.trace(), failure);
        }
    }

    /** One machine is no more; the other one finds out, and is done with it. */
    private void loseForGood(Machine lost) {
        count(Outcome.LOST_FOR_GOOD);
        lost.crash();
        world.cut(lost.address);
        world.runFor(400 * SECOND);
        for (Machine machine : machines) {
            require(machine.ends.isEmpty(), machine.address + " waits for nobody: " + machine.ends.values());
        }
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    private void count(Outcome outcome) {
        add(outcome, 1);
    }

    private void add(Outcome outcome, long howOften) {
        outcomes.merge(outcome, (int) howOften, Integer::sum);
    }

    /** The end that has the queue pair that {@code end} thinks it is connected with, if that one thinks so too. */
    private End peerOf(End end) {
        Machine there = machines[0].address.equals(end.connection.remote()) ? machines[0] : machines[1];
        End peer = there.ends.get(end.remoteQpn());
        return peer != null && peer.connection != null && peer.mayReceive && peer.remoteQpn() == end.qpn ? peer : null;
    }

    /** Every end that may send does: to a peer that takes it, or in vain. */
    private void exchangeData() {
        for (Machine machine : machines) {
            for (End end : List.copyOf(machine.ends.values())) {
                if (!end.maySend) {
                    continue;
                }
                End peer = peerOf(end);
                if (peer == null) {
                    count(Outcome.GAVE_UP_BY_DATA);
                    end.disconnect();
                } else if (hasData) {
                    peer.machine.manager.onPacket(peer.qpn);
                }
            }
        }
    }

    private void checkAgreement() {
        for (Machine machine : machines) {
            for (End end : machine.ends.values()) {
                require(end.isEstablished, end + " is in between after so long a peace");
                End peer = peerOf(end);
                require(peer != null && peer.isEstablished, end + " is connected, its peer is not");
                Connection active = end.connection.isActive() ? end.connection : peer.connection;
                Connection passive = end.connection.isActive() ? peer.connection : end.connection;
                require(active != passive && active.isActive() && !passive.isActive(), end + " has a peer in the same role");
                require(active.remoteId() == passive.localId() && passive.remoteId() == active.localId(), end + ": ids differ");
                require(active.request().startingPsn() == passive.request().startingPsn()
                    && active.reply().startingPsn() == passive.reply().startingPsn(), end + ": PSNs differ");
                count(Outcome.STILL_CONNECTED_AT_THE_END);
            }
        }
    }

    /** A machine that can go away and come back as if nothing had been. */
    private final class Machine implements RequestListener {
        private final Gid address;
        private final int number;
        private final int retries;
        private final int inFlight;
        private CommunicationManager manager;
        private CmHost shell;
        private final Map<Integer, End> ends = new HashMap<>();
        private int nextQpn;

        Machine(int number, int retries, int inFlight) {
            this.number = number;
            this.retries = retries;
            this.inFlight = inFlight;
            address = CmWorld.gid(number);
            nextQpn = 100 * number;
            start();
        }

        private void start() {
            if (shell == null) {
                shell = new CmHost(world, number, CmSettings.of(number).withMaxRetries(retries).withMaxInFlight(inFlight));
            } else {
                shell.restart();
            }
            manager = shell.manager();
            manager.listen(SERVICE, this);
        }

        /** Everything is forgotten, and the queue pair numbers begin anew. */
        void crash() {
            crashed = true;
            count(Outcome.CRASHED);
            world.note(address + " crashes");
            ends.values().forEach(end -> end.gone = true);
            ends.clear();
            nextQpn = 100 * number;
            start();
        }

        int newQp() {
            return nextQpn++;
        }

        void connect() {
            if (calm) {
                return;
            }
            End end = new End(this);
            Gid to = CmWorld.gid(3 - number);
            end.connection = manager.connect(world.nowNs(), GidType.ROCE_V2, CmHost.request(address, to, end.qpn), end);
            if (random.chance(0.1)) {
                world.in(random.between(0, 20 * SECOND), end::abandon);
            }
        }

        @Override
        public RequestVerdict onRequest(Connection connection) {
            if (random.chance(0.1)) {
                count(Outcome.REQUEST_DROPPED);
                return RequestVerdict.DROPPED;
            }
            if (random.chance(0.05)) {
                return RequestVerdict.REFUSED;
            }
            End end = new End(this);
            end.connection = connection;
            connection.setListener(end);
            long thinksNs = random.chance(0.2) ? random.between(0, 90 * SECOND) : random.between(0, SECOND);
            int decision = random.below(100);
            world.in(thinksNs, () -> {
                if (decision < 80) {
                    end.accept();
                } else if (decision < 90) {
                    end.reject();
                } else {
                    end.abandon();
                }
            });
            return RequestVerdict.TAKEN;
        }

        @Override
        public RequestVerdict onSidrRequest(SidrRequest request) {
            throw new AssertionError("nobody asks");
        }

        void endAll() {
            List.copyOf(ends.values()).forEach(End::disconnect);
        }
    }

    /** One end of a connection as an application has it: a queue pair, and what it knows. */
    private final class End implements ConnectionListener {
        private final Machine machine;
        private final int qpn;
        private Connection connection;
        private boolean mayReceive;
        private boolean maySend;
        private boolean isEstablished;
        private boolean ended;
        private boolean inTimewait;
        /** The machine crashed: nobody is there any more. */
        private boolean gone;

        End(Machine machine) {
            this.machine = machine;
            qpn = machine.newQp();
            machine.ends.put(qpn, this);
        }

        int remoteQpn() {
            return connection.isPeerKnown() ? connection.remoteQpn() : -1;
        }

        void accept() {
            if (gone || ended) {
                return;
            }
            mayReceive = true;
            maySend = true;
            connection.accept(world.nowNs(), CmHost.reply(qpn));
        }

        void reject() {
            if (!gone && !ended) {
                connection.reject(world.nowNs(), CmRejectReason.CONSUMER, NOTHING);
                end();
            }
        }

        void abandon() {
            if (!gone && !ended) {
                count(Outcome.ABANDONED);
                connection.abandon(world.nowNs());
                end();
            }
        }

        void disconnect() {
            if (gone || ended) {
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

        /** The queue pair is destroyed. */
        private void end() {
            require(!ended, this + " ends twice");
            ended = true;
            mayReceive = false;
            maySend = false;
            isEstablished = false;
            machine.ends.remove(qpn, this);
        }

        private void requireSilence() {
            require(world.hasCut() || world.nowNs() < LAST_SILENCE_NS, this + " has no answer from a peer that is well");
        }

        private void requireAlive(String event) {
            require(!gone && !ended, this + " is told of " + event + " after its end");
            world.note(this + ": " + event);
        }

        @Override
        public void onReply(Connection told) {
            requireAlive("reply");
            mayReceive = true;
            int decision = random.below(100);
            world.in(random.between(0, random.chance(0.1) ? 40 * SECOND : SECOND), () -> {
                if (gone || ended || connection.state() != ConnectionState.REP_RECEIVED) {
                    return;
                }
                if (decision < 90) {
                    maySend = true;
                    established();
                    connection.confirm(world.nowNs(), NOTHING);
                } else if (decision < 95) {
                    reject();
                } else {
                    abandon();
                }
            });
        }

        @Override
        public void onEstablished(Connection told) {
            requireAlive("established");
            require(!connection.isActive() && !isEstablished, this + " is established twice");
            established();
        }

        private void established() {
            isEstablished = true;
            count(Outcome.ESTABLISHED);
            if (random.chance(0.7)) {
                world.in(random.between(0, 60 * SECOND), random.chance(0.8) ? this::disconnect : this::abandon);
            }
        }

        @Override
        public void onRejected(Connection told, int reason, byte[] privateData) {
            requireAlive("rejected " + CmRejectReason.name(reason));
            count(Outcome.REJECTED);
            require(crashed || reason != CmRejectReason.STALE_CONNECTION && reason != CmRejectReason.DUPLICATE_LOCAL_COMM_ID,
                this + " is taken for an old one");
            end();
        }

        @Override
        public void onPortUnreachable(Connection told) {
            throw new AssertionError("nothing comes back here");
        }

        @Override
        public void onUnreachable(Connection told) {
            requireAlive("unreachable");
            requireSilence();
            count(Outcome.UNREACHABLE);
            end();
        }

        @Override
        public void onDisconnectRequest(Connection told) {
            requireAlive("peer disconnects");
            count(Outcome.DISCONNECTED_BY_PEER);
            isEstablished = false;
            maySend = false;
            world.in(random.between(0, 5 * SECOND), random.chance(0.8) ? this::disconnect : this::abandon);
        }

        @Override
        public void onDisconnected(Connection told, boolean timedOut) {
            requireAlive("disconnected" + (timedOut ? ", no answer" : ""));
            if (timedOut) {
                requireSilence();
            }
            count(timedOut ? Outcome.DISCONNECT_UNANSWERED : Outcome.DISCONNECTED_BY_US);
            end();
        }

        @Override
        public void onTimewaitExit(Connection told) {
            require(!gone && !inTimewait && ended, this + " is out of timewait before its end, or twice");
            inTimewait = true;
        }

        @Override
        public String toString() {
            return "qp " + qpn + " of " + machine.address + " (" + connection + ")";
        }
    }
}
