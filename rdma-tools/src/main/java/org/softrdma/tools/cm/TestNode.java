// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cm;

import java.lang.foreign.Arena;
import org.softrdma.tools.cli.Console;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.DatagramParameters;

/** Node of a test with its resources: one end of a connection, or a sender and receiver of datagrams. */
final class TestNode {
    private static final int NO_MEMORY = -12;
    private static final int POLL = 8;
    /** Empty polls between two looks at the connection's events. */
    private static final int LOOK = 4096;
    private static final int RESET = -104;

    final String prefix;
    private final TestOptions options;
    private final Console console;
    private final Arena arena = Arena.ofShared();
    private final WorkCompletion[] completions = WorkCompletion.array(POLL);
    CmId id;
    boolean connected;
    /** True once the connection was made, also after its end. */
    boolean established;
    /** True once the peer has ended the connection: work requests that remain are flushed. */
    boolean disconnected;
    /** Destination of datagrams; null until it is known. */
    AddressHandle handle;
    int remoteQpn;
    int remoteQkey;
    private ProtectionDomain pd;
    private CompletionQueue sendCq;
    private CompletionQueue receiveCq;
    private MemoryRegion region;
    /** Bytes before the message in a receive buffer: the GRH of datagrams. */
    private int headBytes;

    TestNode(String prefix, TestOptions options, Console console) {
        this.prefix = prefix;
        this.options = options;
        this.console = console;
    }

    /** Makes an RC queue pair, a completion queue for each direction, and memory for one message. */
    void setUpConnected() {
        int count = Math.max(1, options.messageCount);
        allocate(() -> {
            sendCq = id.verbs().createCq(count);
            receiveCq = id.verbs().createCq(count);
        });
        createQp(QpInitAttributes.rc(sendCq, capabilities(count)).withRecvCq(receiveCq).withSignalAll(true));
        register(0);
    }

    /** Makes a UD queue pair, one completion queue, and memory for one message with its GRH. */
    void setUpDatagrams() {
        int count = Math.max(1, options.messageCount);
        allocate(() -> {
            receiveCq = id.verbs().createCq(2 * count);
            sendCq = receiveCq;
        });
        createQp(QpInitAttributes.of(QpType.UD, sendCq, capabilities(count)));
        register(UdMessages.GRH_BYTES);
    }

    private static QpCapabilities capabilities(int count) {
        return QpCapabilities.MINIMAL.withMaxSendWr(count).withMaxRecvWr(count);
    }

    private void allocate(Runnable queues) {
        try {
            pd = id.verbs().allocatePd();
        } catch (VerbsException refused) {
            console.print(prefix + ": unable to allocate PD\n");
            console.error(refused.getMessage());
            throw new TestFailure(NO_MEMORY);
        }
        try {
            queues.run();
        } catch (VerbsException refused) {
            console.print(prefix + ": unable to create CQ\n");
            console.error(refused.getMessage());
            throw new TestFailure(NO_MEMORY);
        }
    }

    private void createQp(QpInitAttributes attributes) {
        try {
            id.createQp(pd, attributes);
        } catch (VerbsException refused) {
            throw TestFailure.perror(console, prefix + ": unable to create QP", refused);
        }
    }

    private void register(int head) {
        headBytes = head;
        if (options.messageSize == 0) {
            options.messageCount = 0;
        }
        if (options.messageCount == 0) {
            return;
        }
        try {
            region = pd.register(arena.allocate(options.messageSize + (long) head), AccessFlags.LOCAL_WRITE);
        } catch (VerbsException | IllegalArgumentException refused) {
            console.print("failed to reg MR\n" + prefix + ": failed to create messages: -1\n");
            console.error(refused.getMessage());
            throw new TestFailure(-1);
        }
    }

    /** Sets the destination of datagrams. */
    void target(DatagramParameters target) {
        remoteQpn = target.qpNum();
        remoteQkey = target.qkey();
        try {
            handle = pd.createAh(target.addressVector());
        } catch (VerbsException refused) {
            console.print(prefix + ": failure creating address handle\n");
            console.error(refused.getMessage());
            throw new TestFailure(-1);
        }
        connected = true;
    }

    /** Posts a receive for each message. */
    void postReceives() {
        try {
            ReceiveRequest request = new ReceiveRequest();
            for (int i = 0; i < options.messageCount; i++) {
                id.qp().postReceive(request.begin(i).element(region, 0, options.messageSize + headBytes));
            }
        } catch (VerbsException refused) {
            console.print("failed to post receives: " + refused.errno().value() + "\n");
            console.error(refused.getMessage());
            throw new TestFailure(refused.errno().value());
        }
    }

    /** Posts a SEND for each message. */
    void postSends() {
        postSends(new SendRequest().send());
    }

    /**
     * Posts a work request for each message.
     *
     * @param request without elements
     */
    void postSends(SendRequest request) {
        if (!connected || options.messageCount == 0) {
            return;
        }
        try {
            request.element(region, 0, options.messageSize);
            for (int i = 0; i < options.messageCount; i++) {
                id.qp().postSend(request);
            }
        } catch (VerbsException refused) {
            console.print("failed to post sends: " + refused.errno().value() + "\n");
            console.error(refused.getMessage());
            throw new TestFailure(refused.errno().value());
        }
    }

    /**
     * Polls one completion for each message, whether successful or not.
     *
     * @param events processes the events that have arrived; called now and then, since a peer that is gone completes nothing
     */
    void pollSends(Runnable events) {
        poll(sendCq, events);
    }

    /** Polls one completion for each message, as {@link #pollSends} does. */
    void pollReceives(Runnable events) {
        poll(receiveCq, events);
    }

    private void poll(CompletionQueue queue, Runnable events) {
        int empty = 0;
        for (int done = 0; connected && done < options.messageCount;) {
            int count = queue.poll(completions);
            if (count > 0) {
                if (disconnected && completions[count - 1].status() == WcStatus.WR_FLUSH_ERR) {
                    console.error(prefix + ": the peer disconnected before all messages had arrived");
                    throw new TestFailure(RESET);
                }
                onCompletion(completions[0]);
                done += count;
            } else if (++empty % LOOK == 0) {
                events.run();
            } else {
                Thread.onSpinWait();
            }
        }
    }

    /** Takes the destination of datagrams from the first one received, if it is not known yet. */
    private void onCompletion(WorkCompletion first) {
        if (headBytes > 0 && handle == null) {
            try {
                handle = pd.createAhFromWc(first, region.memory(), id.port());
                remoteQpn = first.immediate();
                remoteQkey = id.qp().query().qkey();
            } catch (VerbsException refused) {
                console.print(prefix + ": failed to create reply AH\n");
                console.error(refused.getMessage());
                throw new TestFailure(-1);
            }
        }
    }

    /** Frees all resources. */
    void close() {
        if (id == null) {
            arena.close();
            return;
        }
        if (handle != null) {
            handle.close();
        }
        id.destroyQp();
        if (sendCq != null && sendCq != receiveCq) {
            sendCq.close();
        }
        if (receiveCq != null) {
            receiveCq.close();
        }
        if (region != null) {
            region.close();
        }
        arena.close();
        if (pd != null) {
            pd.close();
        }
        id.close();
    }
}
