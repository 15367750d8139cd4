// SPDX-License-Identifier: Apache-2.0
package org.softrdma.testing;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.stream.Stream;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.PortSpace;

/** Two connected queue pairs, ready to use. */
public final class RdmaPair {
    private static final int DEPTH = 64;
    private static final QpCapabilities CAPABILITIES = new QpCapabilities(DEPTH, DEPTH, 4, 4, 64);
    private static final int READS = 16;

    private final RdmaEnd left;
    private final RdmaEnd right;
    /** Further objects that are closed with the pair, the first one first. */
    private final List<AutoCloseable> others;

    private RdmaPair(RdmaEnd left, RdmaEnd right, List<AutoCloseable> others) {
        this.left = left;
        this.right = right;
        this.others = others;
    }

    static RdmaPair connect(Fabric fabric, int left, int right) {
        boolean byAddress = fabric.kind(left) == DeviceKind.IWARP;
        if (byAddress != (fabric.kind(right) == DeviceKind.IWARP)) {
            throw new IllegalArgumentException("devices " + left + " and " + right + " are " + fabric.kind(left) + " and "
                + fabric.kind(right) + "; they do not understand each other");
        }
        return byAddress ? connectByAddress(fabric, left, right) : connectByNumbers(fabric, left, right);
    }

    /** {@return the end on the device that was named first} */
    public RdmaEnd left() {
        return left;
    }

    /** {@return the end on the device that was named second} */
    public RdmaEnd right() {
        return right;
    }

    // ---- RoCE: what programs exchange over a socket is at hand ----

    private static RdmaPair connectByNumbers(Fabric fabric, int left, int right) {
        RdmaEnd a = open(fabric, left);
        RdmaEnd b = open(fabric, right);
        int psnOfA = (int) (fabric.seed() * 31 + left) & 0xffffff;
        int psnOfB = (int) (fabric.seed() * 37 + right) & 0xffffff;
        toRts(a, b, psnOfA, psnOfB);
        toRts(b, a, psnOfB, psnOfA);
        return new RdmaPair(a, b, List.of());
    }

    private static RdmaEnd open(Fabric fabric, int device) {
        Context context = fabric.testDevice(device).open();
        ProtectionDomain pd = context.allocatePd();
        CompletionQueue cq = context.createCq(4 * DEPTH);
        return new RdmaEnd(fabric, device, context, pd, cq, pd.createQp(QpInitAttributes.rc(cq, CAPABILITIES)));
    }

    /** Source: IBA vol 1 §10.3.1, the way of every program without a connection manager. */
    private static void toRts(RdmaEnd end, RdmaEnd peer, int psn, int peersPsn) {
        Mtu mtu = end.context().queryPort(1).activeMtu();
        end.qp().modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(AccessFlags.REMOTE_ANY));
        end.qp().modify(new QpAttributes().state(QpState.RTR)
            .addressVector(AddressVector.to(end.fabric().gid(peer.device()).gid(), end.fabric().gid(end.device()).index())).pathMtu(mtu)
            .destQpn(peer.qp().qpNum()).rqPsn(peersPsn).maxDestRdAtomic(READS).minRnrTimer(12));
        end.qp().modify(new QpAttributes().state(QpState.RTS).timeout(14).retryCount(7).rnrRetry(7).sqPsn(psn).maxRdAtomic(READS));
    }

    // ---- iWARP: by address only ----

    private static RdmaPair connectByAddress(Fabric fabric, int left, int right) {
        ConnectionParameters parameters = ConnectionParameters.DEFAULT.withReads(READS, READS);
        CmId listener = fabric.connectionManager(right).createId(null, null, PortSpace.TCP);
        listener.bind(new InetSocketAddress(fabric.address(right), 0));
        listener.listen(1);
        Accepted accepted = new Accepted();
        Fabric.Task task = fabric.start("accept", () -> {
            accepted.id = listener.getRequest();
            accepted.end = endOf(fabric, right, accepted.id);
            accepted.id.accept(parameters);
        });
        ConnectionManager manager = fabric.connectionManager(left);
        CmId id = manager.createId(null, null, PortSpace.TCP);
        id.resolveAddress(null, listener.localAddress(), 2000);
        id.resolveRoute(2000);
        RdmaEnd end = endOf(fabric, left, id);
        id.connect(parameters);
        task.join();
        listener.close();
        return new RdmaPair(end, accepted.end, List.of(id, accepted.id));
    }

    /** Result of the accepting thread. */
    private static final class Accepted {
        private CmId id;
        private RdmaEnd end;
    }

    private static RdmaEnd endOf(Fabric fabric, int device, CmId id) {
        ProtectionDomain pd = id.verbs().allocatePd();
        CompletionQueue cq = id.verbs().createCq(4 * DEPTH);
        id.createQp(pd, QpInitAttributes.rc(cq, CAPABILITIES));
        return new RdmaEnd(fabric, device, id.verbs(), pd, cq, id.qp());
    }

    // ---- the end ----

    /** Objects that belong to the pair. */
    Stream<Object> objects() {
        return Stream.of(left, right).flatMap(end -> Stream.of(end.qp(), end.cq(), end.pd(), end.context()));
    }

    /** Closes the pair, as far as nothing depends on it. */
    void closeQuietly() {
        others.forEach(Leaks::closeQuietly);
        Leaks.closeInOrder(objects().toList());
    }
}
