// SPDX-License-Identifier: Apache-2.0
package example;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import org.softrdma.rsocket.RSocketChannel;
import org.softrdma.rxe.Rxe;
import org.softrdma.siw.Siw;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.wire.roce.Psn;

/** Lists the devices, and writes from one new device to another over the loopback interface. The argument is that interface's name. */
public final class OneWrite {
    private static final int BYTES = 10_000;

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
             QueuePair leftQp = leftPd.createQp(QpInitAttributes.rc(leftCq, QpCapabilities.ofDepth(4)));
             QueuePair rightQp = rightPd.createQp(QpInitAttributes.rc(rightCq, QpCapabilities.ofDepth(4)));
             MemoryRegion source = leftPd.register(arena.allocate(BYTES), AccessFlags.LOCAL_WRITE);
             MemoryRegion target = rightPd.register(arena.allocate(BYTES), AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE)) {
            QueuePair.connect(leftQp, rightQp);
            for (int i = 0; i < BYTES; i++) {
                source.memory().set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31 + 7));
            }
            leftQp.postSend(new SendRequest().write(target.address(), target.rkey()).element(source, 0, BYTES).signaled());
            System.out.println("write: " + leftCq.await(Duration.ofSeconds(30)).status() + ", equal: "
                + (MemorySegment.mismatch(source.memory(), 0, BYTES, target.memory(), 0, BYTES) == -1));
        }
    }
}
