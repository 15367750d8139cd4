// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.net;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MadAgent;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.ib.SaMad;

/**
 * The agent of a device for requests to subnet administration and their answers, which all interfaces of a process on the device share. An
 * answer is received by all of them; each one knows the transactions of its own requests.
 */
public final class AdministrationAgent implements AutoCloseable {
    private static final long LONGEST_WAIT_NS = 1_000_000_000L;

    private final MadAgent agent;
    private final List<Receiver> receivers = new CopyOnWriteArrayList<>();
    private final Thread thread;
    private volatile boolean closed;

    /** An interface. Called by the agent's thread. */
    interface Receiver {
        void onAnswer(ManagementPacket answer);

        /** The device is gone. */
        void onFailure(VerbsException failure);
    }

    /**
     * Starts the agent.
     *
     * @param context of the device, closed by the caller afterwards
     * @throws VerbsException EBUSY: the device has an agent for subnet administration
     */
    public AdministrationAgent(Context context) {
        agent = context.openMadAgent(SaMad.CLASS);
        thread = Thread.ofPlatform().name("softrdma-ipoib-answers").daemon().start(this::receive);
    }

    void add(Receiver receiver) {
        receivers.add(receiver);
    }

    void remove(Receiver receiver) {
        receivers.remove(receiver);
    }

    /**
     * Sends a request.
     *
     * @throws VerbsException as {@link MadAgent#send}
     */
    void send(ManagementPacket request) {
        agent.send(Gid.ofLid(request.slid()), Gid.ofLid(request.dlid()), request.mad().array());
    }

    private void receive() {
        try {
            while (!closed) {
                MadAgent.Received answer = agent.receive(LONGEST_WAIT_NS);
                if (answer != null) {
                    ManagementPacket packet = ManagementPacket.general(answer.from().lid(), answer.to().lid(),
                        ByteBuffer.wrap(answer.mad()));
                    receivers.forEach(each -> each.onAnswer(packet));
                }
            }
        } catch (VerbsException failed) {
            if (!closed) {
                receivers.forEach(each -> each.onFailure(failed));
            }
        }
    }

    /** Ends it; its interfaces are closed already. */
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
        agent.close();
    }
}
