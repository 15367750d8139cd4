// SPDX-License-Identifier: Apache-2.0
package example;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.softrdma.rsocket.RSocketChannel;
import org.softrdma.rxe.Rxe;
import org.softrdma.siw.Siw;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.wire.roce.Psn;

/** Lists the devices, and writes from one new device to another over the loopback interface. The argument is that interface's name. */
public final class OneWrite {
    private static final int BYTES = 10_000;
    private static final long PATIENCE_NS = 30_000_000_000L;

    private OneWrite() {
    }

    public static void main(String[] args) {
        System.out.println("application: " + (OneWrite.class.getModule().isNamed() ? "module path" : "class path"));
        for (RdmaDevice device : Verbs.devices()) {
            System.out.println("device: " + device.transport() + " on " + device.netdev());
        }
        System.out.println("connection manager: " + (ConnectionManager.get() != null));
        System.out.println("iwarp: " + Siw.device("iwarp", args[0]).transport());
        System.out.println("streams: " + RSocketChannel.class.getSimpleName() + ", psn " + (Psn.compare(0, 0xffffff) > 0));
        try (Arena arena = Arena.ofShared();
             Context left = Rxe.device("left", args[0]).open();
             Context right = Rxe.device("right", args[0]).open();
             ProtectionDomain leftPd = left.allocatePd();
             ProtectionDomain rightPd = right.allocatePd();
             CompletionQueue leftCq = left.createCq(16);
             CompletionQueue rightCq = right.createCq(16);
             QueuePair leftQp = leftPd.createQp(QpInitAttributes.rc(leftCq, new QpCapabilities(4, 4, 1, 1, 0)));
             QueuePair rightQp = rightPd.createQp(QpInitAttributes.rc(rightCq, new QpCapabilities(4, 4, 1, 1, 0)));
             MemoryRegion source = leftPd.register(arena.allocate(BYTES), AccessFlags.LOCAL_WRITE);
             MemoryRegion target = rightPd.register(arena.allocate(BYTES), AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE)) {
            connect(leftQp, gid(left), rightQp, gid(right));
            connect(rightQp, gid(right), leftQp, gid(left));
            for (int i = 0; i < BYTES; i++) {
                source.memory().set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31 + 7));
            }
            leftQp.postSend(new SendRequest().write(target.address(), target.rkey()).element(source, 0, BYTES).signaled());
            WorkCompletion[] completions = WorkCompletion.array(1);
            long endNs = System.nanoTime() + PATIENCE_NS;
            while (leftCq.poll(completions) == 0) {
                if (System.nanoTime() - endNs > 0) {
                    throw new IllegalStateException("no completion");
                }
            }
            System.out.println("write: " + completions[0].status() + ", equal: "
                + (MemorySegment.mismatch(source.memory(), 0, BYTES, target.memory(), 0, BYTES) == -1));
        }
    }

    private static GidEntry gid(Context context) {
        return context.queryGidTable().stream().filter(each -> each.gid().isIpv4Mapped()).findFirst().orElseThrow();
    }

    private static void connect(QueuePair qp, GidEntry own, QueuePair peer, GidEntry peersGid) {
        qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(AccessFlags.REMOTE_WRITE));
        qp.modify(new QpAttributes().state(QpState.RTR).addressVector(AddressVector.to(peersGid.gid(), own.index()))
            .pathMtu(Mtu.MTU_1024).destQpn(peer.qpNum()).rqPsn(peer.qpNum() & 0xff).maxDestRdAtomic(1).minRnrTimer(12));
        qp.modify(new QpAttributes().state(QpState.RTS).sqPsn(qp.qpNum() & 0xff).timeout(14).retryCount(7).rnrRetry(7).maxRdAtomic(1));
    }
}
