// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.device.sim.Simulation;
import org.softrdma.device.verbs.DeviceInventory;
import org.softrdma.device.verbs.SoftContext;
import org.softrdma.host.config.NetDevice;
import org.softrdma.host.inspect.ReportBuilder;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.link.sim.SimulatedFabric;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;

/** Counters of links as a device shows them: what a link counts is part of the device's statistics, under the same names. */
@Timeout(60)
class LinkCountersTest {
    private static final int LONGEST_PACKET = 4480;
    private static final long PATIENCE_NS = 20_000_000_000L;

    /** A datagram that is longer than any packet of RoCE was lost without a trace. */
    @ParameterizedTest
    @ValueSource(strings = {"linux", "nio"})
    void shouldShowDatagramsThatWereTooLong(String link) throws IOException {
        assumeTrue(link.equals("nio") || System.getProperty("os.name").equals("Linux"));
        String before = System.getProperty("softrdma.link");
        System.setProperty("softrdma.link", link);
        try (Context context = new RxeDevice("counters-" + link, loopback(), RxeOptions.DEFAULT).open();
             DatagramSocket stranger = new DatagramSocket()) {
            assertEquals(0, context.counters().get("frame_too_long"));
            InetAddress own = context.queryGidTable().stream().map(GidEntry::gid).filter(Gid::isIpv4Mapped).findFirst().orElseThrow()
                .toInetAddress();
            stranger.send(new DatagramPacket(new byte[LONGEST_PACKET], LONGEST_PACKET, own, 4791));
            stranger.send(new DatagramPacket(new byte[LONGEST_PACKET + 1], LONGEST_PACKET + 1, own, 4791));
            stranger.send(new DatagramPacket(new byte[60_000], 60_000, own, 4791));
            long endNs = System.nanoTime() + PATIENCE_NS;
            while (context.counters().get("frame_too_long") < 2 && System.nanoTime() - endNs < 0) {
                Thread.onSpinWait();
            }
            assertEquals(2, context.counters().get("frame_too_long"));
            assertEquals(1, context.counters().get("drop_bad_length") + context.counters().get("drop_bad_version")
                + context.counters().get("drop_unknown_opcode") + context.counters().get("drop_unknown_qpn"), "the longest is a packet");
            assertEquals(context.counters(), report(context));
        } finally {
            if (before == null) {
                System.clearProperty("softrdma.link");
            } else {
                System.setProperty("softrdma.link", before);
            }
        }
    }

    private static NetDevice loopback() {
        NetDevice found = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElse(null);
        assumeTrue(found != null, "no loopback interface");
        return found;
    }

    /** Returns the counters as `rdma statistic` receives them. */
    private static Map<String, Long> report(Context context) {
        ReportBuilder builder = new ReportBuilder();
        new DeviceInventory("test", List.of((SoftContext) context)).report(builder);
        return builder.build(1, "test").devices().getFirst().counters();
    }

    /** Names of the simulated fabric's devices: faults are counted on every link. */
    @Test
    void shouldShowFaultsOfEveryLink() {
        SimulatedFabric fabric = new SimulatedFabric(1, FaultPlan.NONE);
        try (Context context = SimulatedRxe.open(new Simulation(fabric), fabric.attach(Gid.ofIpv4(0x0a000001)),
            new SplittableRandom(1), 1500)) {
            assertTrue(context.counters().containsKey("fault_dropped"));
        }
    }
}
