// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import org.softrdma.device.agent.DeadlineHeap;
import org.softrdma.device.agent.Doorbells;
import org.softrdma.device.engine.Guard;
import org.softrdma.device.qp.FaultDomain;
import org.softrdma.siw.tcp.ByteStream;

/**
 * The present user of a stream: its {@link Handshake}, then its {@link SiwConnection}. The owner handles readiness at once when it finds it
 * itself; other threads ring a doorbell. All methods but {@link #ring} are for the device's owner.
 */
abstract class StreamUser extends DeadlineHeap.Timed implements ByteStream.Listener, FaultDomain {
    private static final Guard.Step<SiwEngine, StreamUser> POLL = (engine, user, ns) -> {
        user.poll();
        return 1;
    };

    private final SiwEngine engine;
    private final Runnable agentDoorbell;
    private final Doorbells.Bell bell = new Doorbells.Bell() {
        @Override
        protected void onRung() {
            onReady();
        }
    };

    /** @param agentDoorbell makes the owner run a round; any thread */
    StreamUser(SiwEngine engine, Runnable agentDoorbell) {
        this.engine = engine;
        this.agentDoorbell = agentDoorbell;
    }

    /** Takes the stream over from any earlier user. Bytes received before are delivered in the next round. */
    final void use(ByteStream stream) {
        stream.listener(this);
        engine.doorbells().ring(bell);
    }

    /** Reads what the stream has received. */
    abstract void poll();

    @Override
    public final void onReady() {
        engine.guard().run(POLL, engine, this, engine.nowNs());
    }

    @Override
    public final void ring() {
        engine.doorbells().ring(bell);
        agentDoorbell.run();
    }
}
