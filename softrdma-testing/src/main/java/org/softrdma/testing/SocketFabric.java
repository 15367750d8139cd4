// SPDX-License-Identifier: Apache-2.0
package org.softrdma.testing;

import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.softrdma.device.verbs.SoftContext;
import org.softrdma.link.fault.FaultDirection;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.link.fault.LinkFaults;
import org.softrdma.link.sim.PacketObserver;
import org.softrdma.rxe.Rxe;
import org.softrdma.siw.SimulatedTcpNetwork;
import org.softrdma.siw.Siw;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.RdmaDevice;

/** A fabric on the loopback interface, in real time. */
final class SocketFabric extends Fabric {
    private static final String LOOPBACK = "lo";
    private static final long LOOK_NS = TimeUnit.MICROSECONDS.toNanos(100);
    /** Devices of one name in one process are one device. */
    private static final AtomicInteger LAST_FABRIC = new AtomicInteger();

    private final int number = LAST_FABRIC.incrementAndGet();

    SocketFabric(FabricOptions options) {
        super(options);
        if (options.kinds().contains(DeviceKind.ROCE_V1) || options.bitsPerSecond() != 0) {
            throw new IllegalArgumentException("RoCE v1 and the speed of links are for simulated fabrics");
        }
        Random random = new Random(options.seed());
        for (int index = 0; index < options.kinds().size(); index++) {
            TestDevice device = device(index, options.kinds().get(index));
            add(device, new SoftManager(device, addressOf(device), null, random::nextInt));
        }
        faults(options.faults());
        complete();
    }

    private TestDevice device(int index, DeviceKind kind) {
        String name = "test" + number + "." + index;
        RdmaDevice device = kind == DeviceKind.IWARP ? Siw.device(name, LOOPBACK) : Rxe.device(name, LOOPBACK);
        return new TestDevice(name, kind, LOOPBACK, device.nodeGuid(), () -> (SoftContext) device.open());
    }

    private static InetAddress addressOf(TestDevice device) {
        if (device.kind() == DeviceKind.IWARP) {
            return InetAddress.getLoopbackAddress();
        }
        try (Context context = device.openUntracked()) {
            return ipv4Gid(context).gid().toInetAddress();
        }
    }

    private static GidEntry ipv4Gid(Context context) {
        return context.queryGidTable().stream().filter(entry -> entry.gid().isIpv4Mapped()).findFirst().orElseThrow();
    }

    @Override
    public GidEntry gid(int index) {
        return ipv4Gid(ownContext(index));
    }

    // ---- time and threads ----

    @Override
    public boolean isSimulated() {
        return false;
    }

    @Override
    public long nowNs() {
        return System.nanoTime();
    }

    @Override
    public void runFor(Duration duration) {
        runUntil(() -> false, duration);
    }

    @Override
    public boolean runUntil(BooleanSupplier condition, Duration limit) {
        long untilNs = nowNs() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (nowNs() - untilNs >= 0) {
                return false;
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new IllegalStateException("interrupted while waiting for a condition");
            }
            LockSupport.parkNanos(LOOK_NS);
        }
        return true;
    }

    @Override
    public boolean step() {
        throw new UnsupportedOperationException("devices on sockets run by themselves; use a simulated fabric");
    }

    @Override
    public Task start(String name, Body body) {
        Throwable[] thrown = new Throwable[1];
        AtomicBoolean joined = new AtomicBoolean();
        Thread thread = Thread.ofPlatform().daemon().name("softrdma-test-" + name).start(() -> {
            try {
                body.run();
            } catch (Throwable failed) {
                thrown[0] = failed;
            }
        });
        watchTask(name, () -> !joined.get() && !thread.isAlive() && thrown[0] != null
            ? "failed, and the test has not joined it: " + thrown[0] : null);
        return new Task() {
            @Override
            public void join() {
                joined.set(true);
                try {
                    thread.join();
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException("interrupted while waiting for task " + name, interrupted);
                }
                if (thrown[0] != null) {
                    throw new TaskFailedException(name, thrown[0]);
                }
            }

            @Override
            public boolean hasEnded() {
                return !thread.isAlive();
            }
        };
    }

    // ---- faults ----

    @Override
    public void faults(String text) {
        FaultPlan plan = FabricFaults.parse(text);
        for (int index = 0; index < size(); index++) {
            if (kind(index) == DeviceKind.IWARP && !LinkFaults.of(plan).isNone()) {
                throw new IllegalArgumentException("faults \"" + text + "\": TCP on sockets has no faults; use a simulated fabric");
            }
            if (kind(index) != DeviceKind.IWARP) {
                Rxe.setFaults(ownContext(index), LinkFaults.of(plan).withSeed(seed() + index));
            }
        }
    }

    @Override
    public void partition(int from, int to, Duration duration) {
        throw new UnsupportedOperationException("a fabric of sockets cuts no single path; kill() a device, or use a simulated fabric");
    }

    @Override
    public void kill(int index) {
        if (kind(index) == DeviceKind.IWARP) {
            throw new UnsupportedOperationException("TCP on sockets has no faults; use a simulated fabric");
        }
        Rxe.setFaults(ownContext(index), LinkFaults.of(FaultPlan.NONE.withLoss(1)).withDirection(FaultDirection.BOTH));
    }

    @Override
    public void heal() {
        faults("none");
    }

    // ---- what happened ----

    @Override
    public void observe(PacketObserver packets, SimulatedTcpNetwork.Observer streams) {
        throw new UnsupportedOperationException("what is on sockets is not observed; use a simulated fabric");
    }

    @Override
    public boolean record(Path file) {
        return false;
    }
}
