// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.pingpong;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
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
import org.softrdma.verbs.PortAttributes;
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
import org.softrdma.verbs.VerbsException;

/**
 * Resources of one end of a ping-pong: device, buffer, completion queue, queue pairs in INIT. One buffer serves all receives and all
 * sends, as in the original. {@link RcEndpoint}, {@link SrqEndpoint}, {@link UcEndpoint} and {@link UdEndpoint} have the differences
 * between the services.
 */
abstract class Endpoint {
    static final long RECEIVE_WR_ID = 1;
    static final long SEND_WR_ID = 2;

    private static final int LINK_LAYER_INFINIBAND = 1;

    final PingPongParameters parameters;
    /** Offset in the buffer of the payload of received and of sent messages. */
    private final int payloadAt;
    private final int pageBytes = PageSize.bytes();
    private final Opened opened = new Opened();
    final ReceiveRequest receive = new ReceiveRequest();
    final SendRequest send = new SendRequest();
    private Context context;
    private CompletionChannel channel;
    ProtectionDomain pd;
    private MemorySegment buffer;
    private MemoryRegion region;
    private CompletionQueue cq;
    private final QueuePair[] qps;

    /** @param headerBytes bytes that the device puts before the payload of a received message */
    Endpoint(PingPongParameters parameters, int headerBytes) {
        this.parameters = parameters;
        payloadAt = headerBytes;
        qps = new QueuePair[parameters.queuePairs];
    }

    /**
     * Opens all resources.
     *
     * @throws ToolFailure in the original's words; everything opened before is closed again
     */
    static Endpoint open(RdmaDevice device, PingPongParameters parameters) {
        Endpoint endpoint = parameters.service.endpoint.apply(parameters);
        try {
            endpoint.openAll(device);
            return endpoint;
        } catch (ToolFailure failure) {
            endpoint.abandon();
            throw failure;
        }
    }

    private void openAll(RdmaDevice device) {
        attempt("Couldn't get context for " + device.name(), () -> context = device.open());
        opened.add("Couldn't release context", context::close);
        if (parameters.events) {
            attempt("Couldn't create completion channel", () -> channel = context.createCompletionChannel());
            opened.add("Couldn't destroy completion channel", channel::close);
        }
        attempt("Couldn't allocate PD", () -> pd = context.allocatePd());
        opened.add("Couldn't deallocate PD", pd::close);
        checkFeatures(context);
        allocateBuffer();
        attempt("Couldn't register MR", () -> region = pd.register(buffer, AccessFlags.LOCAL_WRITE));
        opened.add("Couldn't deregister MR", region::close);
        attempt("Couldn't create CQ", () -> cq = context.createCq(parameters.rxDepth + qps.length, null, channel, 0));
        opened.add("Couldn't destroy CQ", cq::close);
        openQueuePairs(openSharedReceives());

        receive.begin(RECEIVE_WR_ID).element(region, 0, payloadAt + parameters.size);
        send.send().wrId(SEND_WR_ID).element(region, payloadAt, parameters.size).signaled();
        if (qps[0].capabilities().maxInlineData() >= parameters.size) {
            send.inline();
        }
    }

    private void openQueuePairs(SharedReceiveQueue srq) {
        QpCapabilities capabilities = srq == null ? QpCapabilities.MINIMAL.withMaxRecvWr(parameters.rxDepth)
            : QpCapabilities.MINIMAL.withMaxRecvWr(0).withMaxRecvSge(0);
        for (int i = 0; i < qps.length; i++) {
            int index = i;
            attempt("Couldn't create " + nameOf(i),
                () -> qps[index] = pd.createQp(QpInitAttributes.of(parameters.service.type, cq, capabilities).withSrq(srq)));
            opened.add("Couldn't destroy " + nameOf(i), qps[i]::close);
        }
        for (int i = 0; i < qps.length; i++) {
            QueuePair qp = qps[i];
            attempt("Failed to modify " + nameOf(i) + " to INIT",
                () -> qp.modify(initAttributes().state(QpState.INIT).pkeyIndex(0).port(parameters.ibPort)));
        }
    }

    /** Opens the shared receive queue of all queue pairs; null if each has a receive queue of its own. */
    SharedReceiveQueue openSharedReceives() {
        return null;
    }

    /** @return initial value of the bytes in the buffer */
    int fill() {
        return 0x7b;
    }

    /** @return name of a queue pair in messages */
    String nameOf(int index) {
        return "QP";
    }

    /** @return attributes of the service for INIT, besides state, port and P_Key */
    abstract QpAttributes initAttributes();

    /**
     * Checks that the device has the requested features.
     *
     * @throws ToolFailure it has not
     */
    abstract void checkFeatures(Context opened);

    private void allocateBuffer() {
        if (parameters.size < 0) {
            throw new ToolFailure("Couldn't allocate work buf.");
        }
        Arena arena = Arena.ofShared();
        opened.add("Couldn't free work buf.", arena::close);
        try {
            buffer = arena.allocate((long) payloadAt + parameters.size, pageBytes).fill((byte) fill());
        } catch (OutOfMemoryError tooLarge) {
            throw new ToolFailure("Couldn't allocate work buf.");
        }
    }

    /** @return destinations for the peer, one for each queue pair, with a random first PSN */
    List<Destination> destinations(RandomGenerator random) {
        int[] lid = new int[1];
        attempt("Couldn't get port info", () -> {
            PortAttributes port = context.queryPort(parameters.ibPort);
            lid[0] = port.lid();
            if (port.linkLayer() == LINK_LAYER_INFINIBAND && lid[0] == 0) {
                throw new ToolFailure("Couldn't get local LID");
            }
        });
        Gid gid = parameters.gidIndex < 0 ? Gid.ZERO : gid(context, parameters.ibPort, parameters.gidIndex, gidComplaint());
        return Arrays.stream(qps).map(qp -> new Destination(lid[0], qp.qpNum(), random.nextInt(1 << 24), gid)).toList();
    }

    /**
     * Reads a GID.
     *
     * @param complaint start of the message if there is none; the index follows
     * @throws ToolFailure there is none; the original takes an empty entry of the table, and waits for a peer that it cannot reach
     */
    static Gid gid(Context context, int port, int index, String complaint) {
        Gid[] gid = new Gid[1];
        attempt(complaint + index, () -> gid[0] = context.queryGid(port, index));
        if (gid[0].isZero()) {
            throw new ToolFailure(complaint + index + "\nthere is no GID at that index; `show_gids` lists those that there are");
        }
        return gid[0];
    }

    /** @return start of the message for a GID index without a GID; the original has other words for some services */
    String gidComplaint() {
        return "can't read sgid of index ";
    }

    /** Connects each queue pair to the peer's of the same index. All use the address of the peer's first one. */
    final void connect(List<Destination> own, List<Destination> peers) {
        AddressVector vector = vectorTo(peers.getFirst());
        for (int i = 0; i < qps.length; i++) {
            connect(qps[i], nameOf(i), own.get(i).psn(), peers.get(i), vector);
        }
    }

    /**
     * Moves a queue pair from INIT to RTR to RTS, and does what else the service needs to reach the peer.
     *
     * @param name of the queue pair in messages
     */
    abstract void connect(QueuePair qp, String name, int ownPsn, Destination peer, AddressVector vector);

    /** @return the address vector of the peer */
    private AddressVector vectorTo(Destination peer) {
        // The original sets a GRH only if the peer's interface ID, the GID's low half, is not zero; without a GRH, RoCE refuses the change,
        // and InfiniBand's LID is enough.
        Gid dgid = peer.gid().low() == 0 ? Gid.ZERO : peer.gid();
        return AddressVector.to(dgid, parameters.gidIndex & 0xff).withHopLimit(1).withSl(parameters.serviceLevel & 0xff)
            .withPort(parameters.ibPort).withDlid(peer.lid());
    }

    /** Calls a verb that needs the address of the peer. */
    final void attemptToReach(AddressVector vector, String complaint, Runnable verb) {
        try {
            verb.run();
        } catch (VerbsException refused) {
            String hint = parameters.gidIndex < 0 || vector.dgid().isZero()
                ? "\nOn Ethernet both ends need a GID: -g 1 is the first IPv4 address" : "";
            throw new ToolFailure(complaint + "\n" + refused.getMessage() + hint);
        }
    }

    /** Adds a resource that must be closed before everything opened so far. */
    final void closeFirst(String complaint, Runnable close) {
        opened.add(complaint, close);
    }

    /** @return receives that were posted, at most {@code count} */
    int postReceives(int count) {
        for (int posted = 0; posted < count; posted++) {
            try {
                postReceive();
            } catch (VerbsException refused) {
                return posted;
            }
        }
        return count;
    }

    void postReceive() {
        qps[0].postReceive(receive);
    }

    /** @param index of the queue pair */
    void postSend(int index) {
        attempt("Couldn't post send", () -> qps[index].postSend(send));
    }

    /** @return index of the queue pair with this number; -1 if there is none */
    int indexOf(int qpn) {
        for (int i = 0; i < qps.length; i++) {
            if (qps[i].qpNum() == qpn) {
                return i;
            }
        }
        return -1;
    }

    CompletionQueue cq() {
        return cq;
    }

    /** @return null without {@code -e} */
    CompletionChannel channel() {
        return channel;
    }

    /** Marks the client's buffer for {@code -c}: a zero at the start of every page. */
    void markPages() {
        for (long page = payloadAt; page < buffer.byteSize(); page += pageBytes) {
            buffer.set(ValueLayout.JAVA_BYTE, page, (byte) 0);
        }
    }

    /** @return whether the page at {@code offset} of the payload has its mark */
    boolean isMarked(long offset) {
        return buffer.get(ValueLayout.JAVA_BYTE, payloadAt + offset) == 0;
    }

    int pageBytes() {
        return pageBytes;
    }

    /** Closes all resources, last opened first. */
    void close() {
        opened.close();
    }

    /** Closes all resources and ignores failures to do so, after an earlier failure. */
    void abandon() {
        opened.abandon();
    }

    static void attempt(String complaint, Runnable verb) {
        Opened.attempt(complaint, verb);
    }
}
