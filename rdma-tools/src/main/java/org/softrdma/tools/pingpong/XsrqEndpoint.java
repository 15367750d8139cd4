// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.pingpong;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.Opened;
import org.softrdma.tools.cli.PageSize;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.XrcDomain;

/**
 * Resources of one end of {@code ibv_xsrq_pingpong}: an XRC shared receive queue, and for each client a target and an initiator. One
 * buffer serves all receives and all sends.
 */
final class XsrqEndpoint {
    /** File that names the XRC domain in the original. */
    private static final String DOMAIN = "/tmp/xrc_domain";
    private static final int HOP_LIMIT = 5;
    private static final int LINK_LAYER_INFINIBAND = 1;

    private final XsrqParameters parameters;
    private final Opened opened = new Opened();
    private final ReceiveRequest receive = new ReceiveRequest();
    private final SendRequest send = new SendRequest();
    private final QueuePair[] targets;
    private final QueuePair[] initiators;
    private final int[] psns;
    private final XsrqDestination[] peers;
    private final int[] sent;
    private Context context;
    private int lid;
    private CompletionChannel channel;
    private ProtectionDomain pd;
    private MemoryRegion region;
    private XrcDomain domain;
    private CompletionQueue receiveCq;
    private CompletionQueue sendCq;
    private SharedReceiveQueue srq;

    private XsrqEndpoint(XsrqParameters parameters) {
        this.parameters = parameters;
        targets = new QueuePair[parameters.clients];
        initiators = new QueuePair[parameters.clients];
        psns = new int[parameters.clients];
        peers = new XsrqDestination[parameters.clients];
        sent = new int[parameters.clients];
    }

    /**
     * Opens all resources.
     *
     * @throws ToolFailure in the original's words; everything opened before is closed again
     */
    static XsrqEndpoint open(XsrqParameters parameters) {
        if (parameters.clients < 1) {
            throw new ToolFailure("Couldn't create recv CQ\n-c " + parameters.clients + ": at least one client is needed");
        }
        XsrqEndpoint endpoint = new XsrqEndpoint(parameters);
        try {
            endpoint.openAll();
            return endpoint;
        } catch (ToolFailure failure) {
            endpoint.abandon();
            throw failure;
        }
    }

    private void openAll() {
        RdmaDevice device = device(parameters.device);
        attempt("Failed to open device", () -> context = device.open());
        opened.add("Couldn't release context", context::close);
        if (parameters.onDemandPaging) {
            throw new ToolFailure("The device isn't ODP capable or does not support XRC send, receive and srq with ODP");
        }
        attempt("Failed to get port info", () -> {
            var port = context.queryPort(parameters.ibPort);
            lid = port.lid();
            if (port.linkLayer() == LINK_LAYER_INFINIBAND && lid == 0) {
                throw new ToolFailure("Couldn't get local LID");
            }
        });
        MemorySegment buffer = allocateBuffer();
        if (parameters.events) {
            attempt("Couldn't create completion channel", () -> channel = context.createCompletionChannel());
            opened.add("Couldn't destroy completion channel", channel::close);
        }
        attempt("Couldn't allocate PD", () -> pd = context.allocatePd());
        opened.add("Couldn't deallocate PD", pd::close);
        attempt("Couldn't register MR", () -> region = pd.register(buffer, AccessFlags.LOCAL_WRITE));
        opened.add("Couldn't deregister MR", region::close);
        attempt("Couldn't Open the XRC Domain", () -> domain = context.openXrcd(DOMAIN, XrcDomain.CREATE));
        opened.add("Couldn't close the XRC Domain", domain::close);
        attempt("Couldn't create recv CQ", () -> receiveCq = context.createCq(parameters.clients, null, channel, 0));
        opened.add("Couldn't destroy recv CQ", receiveCq::close);
        if (parameters.events) {
            receiveCq.requestNotify();
        }
        attempt("Couldn't create send CQ", () -> sendCq = context.createCq(parameters.clients));
        opened.add("Couldn't destroy send CQ", sendCq::close);
        attempt("Couldn't create SRQ", () -> srq = domain.createSrq(pd, receiveCq, parameters.clients, 1, 0));
        opened.add("Couldn't destroy SRQ", srq::close);
        for (int i = 0; i < parameters.clients; i++) {
            openQueuePairs(i);
        }
    }

    /** Finds the device by the original's rules, and with its messages. */
    private static RdmaDevice device(String name) {
        List<RdmaDevice> devices;
        try {
            devices = Verbs.devices();
        } catch (VerbsException refused) {
            throw new ToolFailure("Failed to get IB devices list\nFailed to open device", refused);
        }
        if (name == null && !devices.isEmpty()) {
            return devices.getFirst();
        }
        return devices.stream().filter(each -> name != null && each.isNamed(name)).findFirst().orElseThrow(() -> new ToolFailure(
            "IB device " + (name == null ? "" : name) + " not found\nFailed to open device\n" + (devices.isEmpty() ? "There are no devices."
                : "There are: " + String.join(", ", Verbs.names(devices)))));
    }

    private MemorySegment allocateBuffer() {
        Arena arena = Arena.ofShared();
        opened.add("Couldn't free work buf.", arena::close);
        try {
            return arena.allocate(Math.max(0, parameters.size), PageSize.bytes());
        } catch (OutOfMemoryError tooLarge) {
            throw new ToolFailure("Couldn't allocate work buf.");
        }
    }

    private void openQueuePairs(int i) {
        attempt("Couldn't create recv QP[" + i + "]", () -> targets[i] = domain.createTarget());
        opened.add("Couldn't destroy TGT QP[" + i + "]", targets[i]::close);
        attempt("Failed to modify recv QP[" + i + "] to INIT",
            () -> targets[i].modify(init(AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ)));
        attempt("Couldn't create send QP[" + i + "]", () -> initiators[i] = pd.createQp(
            QpInitAttributes.xrcSend(sendCq, new QpCapabilities(parameters.clients * parameters.tests, 0, 1, 0, 0))));
        opened.add("Couldn't destroy INI QP[" + i + "]", initiators[i]::close);
        attempt("Failed to modify send QP[" + i + "] to INIT", () -> initiators[i].modify(init(0)));
    }

    private QpAttributes init(int access) {
        return new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(parameters.ibPort).accessFlags(access);
    }

    // ---- the peers ----

    /** Sends this end's address to the peer, and prints it. */
    void sendAddress(XsrqExchange exchange, int i, Console console) {
        Gid[] gid = {Gid.ZERO};
        if (parameters.gidIndex >= 0) {
            gid[0] = Endpoint.gid(context, parameters.ibPort, parameters.gidIndex, "can't read sgid of index ");
        }
        psns[i] = ThreadLocalRandom.current().nextInt(1 << 24);
        XsrqDestination own = new XsrqDestination(lid, targets[i].qpNum(), initiators[i].qpNum(), psns[i], srq.number(), gid[0]);
        console.println(own.line("local"));
        console.out().flush();
        exchange.send(own);
    }

    /** Receives the peer's address, and prints it. */
    void receiveAddress(XsrqExchange exchange, int i, Console console) {
        peers[i] = exchange.receive(i);
        console.println(peers[i].line("remote"));
        console.out().flush();
    }

    /** Connects the target to the peer's initiator, and the initiator to the peer's target. */
    void connect(int i) {
        XsrqDestination peer = peers[i];
        AddressVector vector = AddressVector.to(peer.gid().low() == 0 ? Gid.ZERO : peer.gid(), parameters.gidIndex & 0xff)
            .withHopLimit(HOP_LIMIT).withSl(parameters.serviceLevel & 0xff).withPort(parameters.ibPort);
        attemptToReach(vector, "Failed to modify recv QP[" + i + "] to RTR", () -> targets[i].modify(new QpAttributes().state(QpState.RTR)
            .addressVector(vector).pathMtu(parameters.mtu).destQpn(peer.sendQpn()).rqPsn(peer.psn()).maxDestRdAtomic(0).minRnrTimer(12)));
        attempt("Failed to modify recv QP[" + i + "] to RTS",
            () -> targets[i].modify(new QpAttributes().state(QpState.RTS).timeout(14).sqPsn(psns[i])));
        attemptToReach(vector, "Failed to modify send QP[" + i + "] to RTR", () -> initiators[i].modify(
            new QpAttributes().state(QpState.RTR).addressVector(vector).pathMtu(parameters.mtu).destQpn(peer.receiveQpn())
                .rqPsn(peer.psn())));
        attempt("Failed to modify send QP[" + i + "] to RTS", () -> initiators[i].modify(
            new QpAttributes().state(QpState.RTS).timeout(14).sqPsn(psns[i]).retryCount(7).rnrRetry(7).maxRdAtomic(0)));
    }

    private void attemptToReach(AddressVector vector, String complaint, Runnable verb) {
        try {
            verb.run();
        } catch (VerbsException refused) {
            throw new ToolFailure(complaint + "\n" + refused.getMessage() + (parameters.gidIndex < 0 || vector.dgid().isZero()
                ? "\nOn Ethernet both ends need a GID: -g 1 is the first IPv4 address" : ""));
        }
    }

    // ---- traffic ----

    void postReceive() {
        attempt("Failed to post receive to SRQ", () -> srq.postReceive(receive.begin(1).element(region, 0, parameters.size)));
    }

    boolean hasMoreFor(int peer) {
        return sent[peer] < parameters.tests;
    }

    /** Posts the next message for a peer's shared receive queue, over the connections in turn; the last message is signaled. */
    void postSend(int peer) {
        int connection = (peer + sent[peer]) % parameters.clients;
        send.send().wrId(peer).toSrq(peers[peer].srqn()).element(region, 0, parameters.size);
        if (++sent[peer] >= parameters.tests) {
            send.signaled();
        }
        attempt("Couldn't post send", () -> initiators[connection].postSend(send));
    }

    /** @return index of the peer that a message was received from, by the number of its target */
    int peerOf(int qpn) {
        for (int i = 0; i < targets.length; i++) {
            if (targets[i].qpNum() == qpn) {
                return i;
            }
        }
        throw new ToolFailure("Unable to find qp " + Integer.toHexString(qpn));
    }

    CompletionQueue receiveCq() {
        return receiveCq;
    }

    CompletionQueue sendCq() {
        return sendCq;
    }

    /** @return null without {@code -e} */
    CompletionChannel channel() {
        return channel;
    }

    void close() {
        opened.close();
    }

    void abandon() {
        opened.abandon();
    }

    private static void attempt(String complaint, Runnable verb) {
        Opened.attempt(complaint, verb);
    }
}
