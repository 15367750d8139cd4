// SPDX-License-Identifier: Apache-2.0
package org.softrdma.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.sim.Simulation;
import org.softrdma.device.verbs.SoftContext;
import org.softrdma.host.config.NetDevice;
import org.softrdma.link.sim.LinkProfile;
import org.softrdma.link.sim.PacketObserver;
import org.softrdma.link.sim.SimulatedFabric;
import org.softrdma.link.sim.SwitchPort;
import org.softrdma.rxe.RxeOptions;
import org.softrdma.rxe.SimulatedRxe;
import org.softrdma.rxe.config.CongestionControl;
import org.softrdma.siw.SimulatedSiw;
import org.softrdma.siw.SimulatedTcpNetwork;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.RdmaDevice;

/** A fabric in memory, on virtual time. */
final class VirtualFabric extends Fabric {
    /** 10.0.0.0; the first host has 10.0.0.1. */
    private static final int NETWORK = 0x0a000000;
    /** 02:00:00:00:00:00, locally administered. */
    private static final long MACS = 0x0200_0000_0000L;
    /** Index of a host's address in its GID table. */
    private static final int ADDRESS_GID = 1;
    private static final int FIRST_SOURCE_PORT = 0xC000;
    private static final int QUEUE_BYTES = 1 << 20;
    /** Queue lengths at which a switch begins to mark packets, and marks all. */
    private static final int MARK_FROM_BYTES = 5_000;
    private static final int MARK_ALL_BYTES = 200_000;
    private static final double MARK_PROBABILITY = 0.01;

    private final SimulatedFabric packets;
    private final Simulation simulation;
    private final SimulatedTcpNetwork tcp;
    private final Turns turns;
    private final PacketLog log = new PacketLog();
    private final FrameLog frames;

    VirtualFabric(FabricOptions options) {
        super(options);
        packets = new SimulatedFabric(options.seed(), FabricFaults.simulated(options.faults()));
        simulation = new Simulation(packets);
        turns = new Turns(simulation);
        RandomGenerator random = new SplittableRandom(options.seed());
        tcp = new SimulatedTcpNetwork(simulation, new SplittableRandom(~options.seed()), FabricFaults.simulatedTcp(options.faults()));
        frames = new FrameLog(packets::nowNs, this::sourcePort, log);
        packets.observe(frames);
        tcp.observe(frames);
        for (int index = 0; index < options.kinds().size(); index++) {
            TestDevice device = open(index, random);
            add(device, new SoftManager(device, gidOf(index).toInetAddress(), turns, random::nextInt));
        }
        complete();
    }

    private TestDevice open(int index, RandomGenerator random) {
        DeviceKind kind = kind(index);
        InetAddress address = gidOf(index).toInetAddress();
        NetDevice netdev = new NetDevice("sim" + index, index + 1, MACS + index + 1, options().mtu(), true, true, false,
            kind == DeviceKind.IWARP ? List.of(address) : List.of());
        Context first = kind == DeviceKind.IWARP ? SimulatedSiw.open(simulation, netdev, random, MpaOptions.DEFAULT, tcp)
            : SimulatedRxe.open(simulation, netdev, packets.attach(profile(kind), gidOf(index)), random, rxeOptions());
        ((SoftContext) first).agent().virtualTime(turns);
        TestDevice device = new TestDevice("test" + index, kind, netdev.name(), first.queryDevice().nodeGuid(),
            () -> openStrictIfRequested(first.device()));
        first.close();
        return device;
    }

    private static SoftContext openStrictIfRequested(RdmaDevice device) {
        SoftContext context = (SoftContext) device.open();
        context.obey(false, false);
        return context;
    }

    private LinkProfile profile(DeviceKind kind) {
        LinkProfile profile = LinkProfile.DEFAULT.withTypes(kind == DeviceKind.ROCE_V1 ? GidType.ROCE_V1 : GidType.ROCE_V2)
            .withBandwidth(options().bitsPerSecond(), QUEUE_BYTES);
        return !options().congestion() ? profile
            : profile.withPort(new SwitchPort(options().bitsPerSecond(), QUEUE_BYTES, MARK_FROM_BYTES, MARK_ALL_BYTES, MARK_PROBABILITY));
    }

    private RxeOptions rxeOptions() {
        return !options().congestion() ? RxeOptions.DEFAULT
            : RxeOptions.DEFAULT.withCongestion(CongestionControl.DCQCN.withLineRate(options().bitsPerSecond()));
    }

    private static Gid gidOf(int index) {
        return Gid.ofIpv4(NETWORK + index + 1);
    }

    private static int indexOf(Gid gid) {
        return gid.ipv4() - NETWORK - 1;
    }

    /** UDP source port of a sender; {@link FrameLog#NO_PORT} for RoCE v1. */
    private int sourcePort(Gid from) {
        if (kind(indexOf(from)) == DeviceKind.ROCE_V1) {
            return FrameLog.NO_PORT;
        }
        int attachedBefore = (int) options().kinds().subList(0, indexOf(from)).stream().filter(kind -> kind != DeviceKind.IWARP).count();
        return FIRST_SOURCE_PORT + attachedBefore;
    }

    @Override
    public GidEntry gid(int index) {
        return ownContext(index).queryGidEntry(1, ADDRESS_GID);
    }

    // ---- time and threads ----

    @Override
    public boolean isSimulated() {
        return true;
    }

    @Override
    public long nowNs() {
        return packets.nowNs();
    }

    @Override
    public void runFor(Duration duration) {
        turns.runUntil("runFor", () -> false, nowNs() + duration.toNanos());
    }

    @Override
    public boolean runUntil(BooleanSupplier condition, Duration limit) {
        return turns.runUntil("runUntil", condition, Deadline.after(limit.toNanos(), nowNs()));
    }

    @Override
    public boolean step() {
        return turns.step();
    }

    @Override
    public Task start(String name, Body body) {
        Turns.Seat seat = turns.start(name, body);
        watchTask(name, () -> seat.hasBegun() ? null : "never ran: the test has neither joined it nor waited for anything");
        return new Task() {
            @Override
            public void join() {
                turns.join(seat);
                if (seat.thrown() != null) {
                    throw new TaskFailedException(name, seat.thrown());
                }
            }

            @Override
            public boolean hasEnded() {
                return seat.hasEnded();
            }
        };
    }

    // ---- faults ----

    @Override
    public void faults(String text) {
        packets.plan(FabricFaults.simulated(text));
        tcp.change(FabricFaults.simulatedTcp(text));
    }

    @Override
    public void partition(int from, int to, Duration duration) {
        packets.partition(gidOf(from), gidOf(to), duration.toNanos());
        tcp.holdUntil(address(from), address(to), nowNs() + duration.toNanos());
    }

    @Override
    public void kill(int index) {
        for (int other = 0; other < size(); other++) {
            partition(index, other, Duration.ofDays(365));
            partition(other, index, Duration.ofDays(365));
        }
    }

    @Override
    public void heal() {
        packets.heal();
        tcp.change(FabricFaults.simulatedTcp("none"));
        tcp.heal();
    }

    // ---- what happened ----

    @Override
    public void observe(PacketObserver ofPackets, SimulatedTcpNetwork.Observer ofStreams) {
        packets.observe((nowNs, from, to, packet, offset, length, fate) -> {
            frames.onPacket(nowNs, from, to, packet, offset, length, fate);
            ofPackets.onPacket(nowNs, from, to, packet, offset, length, fate);
        });
        tcp.observe(new SimulatedTcpNetwork.Observer() {
            @Override
            public void onPiece(InetSocketAddress from, InetSocketAddress to, byte[] bytes) {
                frames.onPiece(from, to, bytes);
                ofStreams.onPiece(from, to, bytes);
            }

            @Override
            public void onTaken(InetSocketAddress from, InetSocketAddress to, int count) {
                ofStreams.onTaken(from, to, count);
            }
        });
    }

    @Override
    public boolean record(Path file) throws IOException {
        if (log.isEmpty()) {
            return false;
        }
        log.write(file, "softrdma, simulated, seed " + seed());
        return true;
    }

    @Override
    public void close() {
        turns.close();
        super.close();
    }
}
