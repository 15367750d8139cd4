// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.softrdma.device.sim.Simulation;
import org.softrdma.device.verbs.DeviceInventory;
import org.softrdma.device.verbs.SoftContext;
import org.softrdma.host.inspect.DeviceReport;
import org.softrdma.host.inspect.Owner;
import org.softrdma.host.inspect.ReportBuilder;
import org.softrdma.host.inspect.Resource;
import org.softrdma.host.inspect.ResourceKind;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.link.sim.SimulatedFabric;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.XrcDomain;

/** A process's report of its devices. */
class InventoryTest {
    private static final QpCapabilities CAPABILITIES = new QpCapabilities(4, 4, 1, 1, 0);

    private final SimulatedFabric fabric = new SimulatedFabric(1, FaultPlan.NONE);
    private final SoftContext context = (SoftContext) SimulatedRxe.open(new Simulation(fabric), fabric.attach(Gid.ofIpv4(0x0a000001)),
        new SplittableRandom(1), 1500);

    @Test
    void shouldTellOfEveryObject() {
        try (Arena arena = Arena.ofShared();
             ProtectionDomain pd = context.allocatePd();
             CompletionQueue cq = context.createCq(16);
             SharedReceiveQueue srq = pd.createSrq(4, 1, 0);
             MemoryRegion local = pd.register(arena.allocate(100), 0);
             MemoryRegion open = pd.register(arena.allocate(200), AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ);
             QueuePair rc = pd.createQp(new QpInitAttributes(QpType.RC, cq, cq, srq, CAPABILITIES, false));
             QueuePair ud = pd.createQp(new QpInitAttributes(QpType.UD, cq, cq, null, CAPABILITIES, false))) {
            ud.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).qkey(1));

            DeviceReport report = report();

            assertEquals(Map.of(ResourceKind.PD, 1L, ResourceKind.CQ, 1L, ResourceKind.QP, 2L, ResourceKind.MR, 2L, ResourceKind.CTX, 1L,
                ResourceKind.SRQ, 1L), report.totals());
            Resource shownCq = only(report, ResourceKind.CQ);
            // Each queue pair uses it twice.
            assertEquals(List.of("16", "4"), List.of(shownCq.attribute("cqe"), shownCq.attribute("users")));
            String pdn = only(report, ResourceKind.PD).attribute("pdn");
            assertEquals("5", only(report, ResourceKind.PD).attribute("users"), "two regions, two queue pairs, one shared receive queue");
            assertEquals(only(report, ResourceKind.CTX).attribute("ctxn"), shownCq.attribute("ctxn"));
            assertEquals(Map.of("srqn", Integer.toString(srq.number()), "type", "BASIC", "pdn", pdn),
                only(report, ResourceKind.SRQ).attributes());
            assertEquals(List.of(mr(local, 0, pdn), mr(open, open.rkey(), pdn)), sorted(report, ResourceKind.MR, "mrlen"));
            assertEquals(List.of(
                Map.of("lqpn", Integer.toString(rc.qpNum()), "rqpn", "0", "type", "RC", "state", "RESET", "rq-psn", "0", "sq-psn", "0",
                    "path-mig-state", "MIGRATED", "srqn", Integer.toString(srq.number()), "pdn", pdn),
                Map.of("lqpn", Integer.toString(ud.qpNum()), "type", "UD", "state", "INIT", "sq-psn", "0", "pdn", pdn)),
                sorted(report, ResourceKind.QP, "type"));
            assertEquals(context.counters(), report.counters());
        }
    }

    private static Map<String, String> mr(MemoryRegion region, int rkey, String pdn) {
        return Map.of("mrn", Integer.toString(region.lkey() >>> 8), "rkey", "0x" + Integer.toHexString(rkey),
            "lkey", "0x" + Integer.toHexString(region.lkey()), "mrlen", Long.toString(region.length()), "pdn", pdn);
    }

    @Test
    void shouldTellOfTargetsAndQueuesOfXrc() {
        try (XrcDomain domain = context.openXrcd(null, XrcDomain.CREATE);
             ProtectionDomain pd = context.allocatePd();
             CompletionQueue cq = context.createCq(16);
             SharedReceiveQueue srq = domain.createSrq(pd, cq, 4, 1, 0);
             QueuePair target = domain.createTarget()) {
            DeviceReport report = report();

            assertEquals("XRC", only(report, ResourceKind.SRQ).attribute("type"));
            assertEquals(only(report, ResourceKind.CQ).attribute("cqn"), only(report, ResourceKind.SRQ).attribute("cqn"));
            assertEquals(Integer.toString(srq.number()), only(report, ResourceKind.SRQ).attribute("srqn"));
            assertEquals(Map.of("lqpn", Integer.toString(target.qpNum()), "type", "XRC_TGT", "state", "RESET", "sq-psn", "0",
                "path-mig-state", "MIGRATED"), only(report, ResourceKind.QP).attributes());
        }
    }

    /** A context of the daemon is that of a program. */
    @Test
    void shouldNameTheProgramThatHasTheObjects() {
        context.actFor(new Owner(4711, "ibv_rc_pingpong"));
        try (ProtectionDomain pd = context.allocatePd()) {
            DeviceReport report = report();
            for (ResourceKind kind : List.of(ResourceKind.CTX, ResourceKind.PD)) {
                assertEquals("4711", only(report, kind).attribute("pid"), kind + " of " + pd);
                assertEquals("ibv_rc_pingpong", only(report, kind).attribute("comm"));
            }
        }
    }

    @Test
    void shouldForgetWhatIsClosed() {
        shouldTellOfEveryObject();
        shouldTellOfTargetsAndQueuesOfXrc();

        assertEquals(Map.of(ResourceKind.CTX, 1L), report().totals());
    }

    private DeviceReport report() {
        ReportBuilder builder = new ReportBuilder();
        new DeviceInventory("rxe0", List.of(context)).report(builder);
        return builder.build(1, "test").devices().getFirst();
    }

    private static Resource only(DeviceReport report, ResourceKind kind) {
        List<Resource> found = report.resources().stream().filter(each -> each.kind() == kind).toList();
        assertEquals(1, found.size());
        return found.getFirst();
    }

    private static List<Map<String, String>> sorted(DeviceReport report, ResourceKind kind, String by) {
        return report.resources().stream().filter(each -> each.kind() == kind)
            .sorted(Comparator.comparing(each -> each.attribute(by))).map(Resource::attributes).toList();
    }
}
