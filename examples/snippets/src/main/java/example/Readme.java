// SPDX-License-Identifier: Apache-2.0
package example;

import java.lang.foreign.Arena;
import java.time.Duration;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.Verbs;

/** README.md. */
final class Readme {
    private Readme() {
    }

    public static void main(String[] arguments) {
        Arena arena = Arena.ofAuto();
        try (Context context = Verbs.open("rxe0");
             ProtectionDomain pd = context.allocatePd();
             CompletionQueue cq = context.createCq(16);
             QueuePair alice = pd.createQp(QpInitAttributes.rc(cq, QpCapabilities.ofDepth(16)));
             QueuePair bob = pd.createQp(QpInitAttributes.rc(cq, QpCapabilities.ofDepth(16)));
             MemoryRegion source = pd.register(arena.allocateFrom("Hello, Bob"), 0);
             MemoryRegion target = pd.register(arena.allocate(64), AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE)) {
            QueuePair.connect(alice, bob);
            alice.postSend(new SendRequest().write(target.address(), target.rkey()).element(source, 0, 11).signaled());
            cq.await(Duration.ofSeconds(1)).requireSuccess();
            System.out.println(target.memory().getString(0));
        }
    }
}
