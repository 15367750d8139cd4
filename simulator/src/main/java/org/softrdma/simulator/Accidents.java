// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;

/** Lets the accidents of a seed happen when their time has come, and ends those that end. */
final class Accidents {
    /** Packets an application waits for a moment at which the region is in use, before it deregisters anyway. */
    private static final int PATIENCE_PACKETS = 300;
    /** Longest stay of a queue pair in SQD while the network is faulty. */
    private static final long LONGEST_DRAIN_NS = 3_000_000;

    private final WireChecker wire;
    /** Takes all completions of a side: what is complete by now must not come later. */
    private final Consumer<Side> take;
    private final List<Due> toCome = new ArrayList<>();
    private final List<Endpoint> draining = new ArrayList<>();
    private boolean ended;

    /**
     * An accident to come.
     *
     * @param afterPackets from and to its victim
     */
    private record Due(Accident accident, Endpoint victim, long afterPackets) {
    }

    Accidents(WireChecker wire, Consumer<Side> take) {
        this.wire = wire;
        this.take = take;
    }

    /** @param plannedPackets from and to the victim, if nothing goes wrong */
    void add(Accident accident, Endpoint victim, int plannedPackets) {
        toCome.add(new Due(accident, victim, (long) (accident.when() * plannedPackets)));
    }

    /**
     * Those whose time has come happen.
     *
     * @return whether any did
     */
    boolean happen(long nowNs) {
        boolean any = toCome.removeIf(due -> happens(due, nowNs));
        return draining.removeIf(each -> nowNs - each.drainsUntilNs >= 0 && resumeDrained(each)) | any;
    }

    /** The applications wake up, let go on what they stopped, and stop nothing any more. */
    void end(List<Endpoint> endpoints) {
        ended = true;
        draining.forEach(this::resume);
        draining.clear();
        endpoints.forEach(each -> each.asleep = false);
    }

    private boolean happens(Due due, long nowNs) {
        Accident accident = due.accident;
        Endpoint victim = due.victim;
        if (victim.closed) {
            return true;
        }
        long late = wire.packetsOf(victim.side.gid, victim.qp.qpNum()) - due.afterPackets;
        if (late < 0 || accident.amid() && late < PATIENCE_PACKETS && !victim.doomed.isDead()
            && !wire.isAmid(victim.side.gid, victim.qp.qpNum(), victim.doomed.rkey())) {
            return false;
        }
        // Before it destroys a queue pair, an application takes what is complete.
        victim.asleep &= accident.kind() != Accident.Kind.DESTROY;
        take.accept(victim.side);
        if (accident.kind().ofMemory) {
            happensToMemory(accident.kind(), victim);
            return true;
        }
        switch (accident.kind()) {
            case TO_ERROR -> {
                victim.qp.modify(new QpAttributes().state(QpState.ERR));
                victim.toldToFail = true;
                wire.expectSilence(victim.side.gid, victim.qp.qpNum(), false);
            }
            case DESTROY -> {
                victim.destroy(() -> take.accept(victim.side));
                wire.expectSilence(victim.side.gid, victim.qp.qpNum(), true);
                if (victim.sharesReceives()) {
                    victim.pool.onGone();
                }
            }
            case DRAIN -> drain(victim, accident.variant(), nowNs + 1 + (long) (accident.when() * LONGEST_DRAIN_NS));
            case OVERRUN -> {
                // The completions it holds must fit; it is not polled from now on.
                if (!victim.overrun && !ended) {
                    victim.narrow.resize(accident.variant() ? 1 : 3);
                    victim.tooNarrow = true;
                    victim.asleep = true;
                }
            }
            default -> throw new AssertionError(due);
        }
        return true;
    }

    private void happensToMemory(Accident.Kind kind, Endpoint victim) {
        ShadowedMemory memory = victim.doomed;
        boolean windowOpen = victim.window != null && !memory.isClosedToPeers();
        if (memory.isDead() || windowOpen && (kind == Accident.Kind.MOVE || kind == Accident.Kind.REVOKE)) {
            return;
        }
        switch (kind) {
            case MOVE -> {
                memory.move();
                wire.watchDeadMemory(victim.side.gid);
            }
            case REVOKE -> {
                wire.expectUnused(victim.side.gid, memory.rkey());
                memory.revoke();
            }
            case FREE_WINDOW -> freeWindow(victim, memory, windowOpen);
            case DEREGISTER -> {
                freeWindow(victim, memory, windowOpen);
                wire.expectUnused(victim.side.gid, memory.rkey());
                memory.deregister();
            }
            default -> throw new AssertionError(kind);
        }
    }

    private void freeWindow(Endpoint victim, ShadowedMemory memory, boolean open) {
        if (open) {
            wire.expectUnused(victim.side.gid, memory.rkey());
            MemoryWindow window = victim.window;
            memory.close(window);
        }
    }

    private void drain(Endpoint victim, boolean notify, long untilNs) {
        if (victim.qp.state() != QpState.RTS || ended) {
            return;
        }
        victim.draining = true;
        victim.drainsUntilNs = untilNs;
        victim.awaitsDrained = notify;
        victim.qp.modify(new QpAttributes().state(QpState.SQD).sqdAsyncNotify(notify));
        draining.add(victim);
    }

    private boolean resumeDrained(Endpoint victim) {
        resume(victim);
        return true;
    }

    private void resume(Endpoint victim) {
        // An event of before must not be taken for one of later.
        take.accept(victim.side);
        if (victim.service != QpType.RC && victim.awaitsDrained && victim.qp.state() == QpState.SQD && !ended) {
            throw new AssertionError("no SQ_DRAINED of qp 0x" + Integer.toHexString(victim.qp.qpNum()) + ", which waits for nobody");
        }
        victim.draining = false;
        victim.awaitsDrained = false;
        if (!victim.closed) {
            wire.expectDrained(victim.side.gid, victim.qp.qpNum(), false);
            if (victim.qp.state() == QpState.SQD) {
                victim.qp.modify(new QpAttributes().state(QpState.RTS));
            }
        }
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        toCome.forEach(due -> text.append(", still to come ").append(due.accident));
        return text.toString();
    }
}
