// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.cm.CmPathOptions;
import org.softrdma.host.config.NetDevice;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.GidEntry;

/** Two devices of one process on real sockets and a real clock, connected by communication management. */
@Timeout(60)
class CmLoopbackTest {
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(30);
    /** ACK timeout code 18: with all retries, longer than a busy machine keeps a peer from answering. */
    private static final CmPathOptions ONE_SECOND = new CmPathOptions(0, 18, CmPathOptions.UNSET);

    private static CmEnd open(String name) {
        String lo = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow().name();
        Context context = Rxe.device(name, lo).open();
        GidEntry address = context.queryGidTable().stream().filter(each -> each.gid().isIpv4Mapped()).findFirst().orElseThrow();
        CmEnd end = new CmEnd(context, address.gid(), new SimulatedPair.Setup());
        end.options = ONE_SECOND;
        return end;
    }

    private static void await(BooleanSupplier condition) {
        long untilNs = System.nanoTime() + PATIENCE_NS;
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - untilNs < 0, "it did not come");
            LockSupport.parkNanos(100_000);
        }
    }

    private static boolean isIdle(CmEnd end) {
        RunningRxe running = ((RxeContext) end.side.context).running();
        running.agent().lock().lock();
        try {
            return running.engine().gsi().manager().isIdle();
        } finally {
            running.agent().lock().unlock();
        }
    }

    @Test
    void shouldConnectExchangeDataAndDisconnect() {
        try (CmEnd a = open("cm-a"); CmEnd b = open("cm-b")) {
            assertNotEquals(a.address, b.address, "each device has an address of its own");
            b.transport.listen(CmEnd.SERVICE, b);
            a.connect(b, "over real sockets");
            await(() -> b.count() == 1);
            assertEquals("over real sockets", CmEnd.text(b.request.parameters().privateData()));
            b.accept("welcome");
            await(() -> a.count() == 1);
            assertEquals("welcome", CmEnd.text(a.response.privateData()));
            a.establish();
            await(() -> b.count() == 2);
            CmEnd.exchange(a, b, CmLoopbackTest::await);
            a.disconnect();
            await(() -> b.count() == 3);
            b.disconnect();
            await(() -> a.count() == 3 && b.count() == 4);
            assertEquals("response, disconnected 0, timewait is over", a.told());
            assertEquals("request, established, disconnected 0, timewait is over", b.told());
            assertTrue(isIdle(a) && isIdle(b));
        }
    }

    @Test
    void shouldTellThePeerWhenTheDeviceIsClosed() {
        CmEnd a = open("cm-c");
        try (CmEnd b = open("cm-d")) {
            b.transport.listen(CmEnd.SERVICE, b);
            a.connect(b, "");
            await(() -> b.count() == 1);
            b.accept("");
            await(() -> a.count() == 1);
            a.establish();
            await(() -> b.count() == 2);
            a.close();
            await(() -> b.count() == 3);
            assertEquals("request, established, disconnected 0", b.told());
        }
    }
}
