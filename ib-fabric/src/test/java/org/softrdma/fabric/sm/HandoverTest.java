// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.fabric.model.Fabric;
import org.softrdma.fabric.topology.Topologies;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.ib.MadStatus;
import org.softrdma.wire.ib.PortInfo;
import org.softrdma.wire.ib.SmAttribute;
import org.softrdma.wire.ib.SmInfo;
import org.softrdma.wire.ib.Smp;
import org.softrdma.wire.mad.Mad;

/** Several managers in one simulated subnet, on virtual time: IBA vol 1 §14.4.1. */
class HandoverTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long MS = 1_000_000L;

    private final ManagedFabric managed = new ManagedFabric(Topologies.tree(6, 2, 1), new SplittableRandom(1));
    private final Fabric fabric = managed.fabric();

    private ManagedFabric.Running begin(String node, int priority) {
        return managed.begin(fabric.find(node).port(1), priority);
    }

    private void run(long durationNs) {
        managed.run(durationNs);
    }

    private void assertStates(int... states) {
        assertEquals(Arrays.stream(states).boxed().toList(),
            managed.managers().stream().map(each -> each.manager().state()).toList());
    }

    private void assertMaster(ManagedFabric.Running master) {
        assertTrue(master.manager().isUp(), () -> master.manager().counters().toString());
        for (int i = 1; i <= 6; i++) {
            assertEquals(master.port().lid(), fabric.find("h" + i).port(1).smLid(), "h" + i);
        }
    }

    @Test
    void shouldMakeTheFirstByPriorityTheMaster() {
        begin("h1", 1);
        ManagedFabric.Running first = begin("h4", 7);
        begin("h6", 3);
        run(3 * SECOND);
        assertStates(SmInfo.STATE_STANDBY, SmInfo.STATE_MASTER, SmInfo.STATE_STANDBY);
        assertMaster(first);
    }

    @Test
    void shouldMakeTheLeastGuidTheMasterOfEqualPriorities() {
        ManagedFabric.Running one = begin("h5", 2);
        ManagedFabric.Running other = begin("h2", 2);
        run(3 * SECOND);
        boolean oneIsLess = Long.compareUnsigned(one.port().guid(), other.port().guid()) < 0;
        assertMaster(oneIsLess ? one : other);
        assertEquals(SmInfo.STATE_STANDBY, (oneIsLess ? other : one).manager().state());
    }

    @Test
    void shouldStandByUnderAMasterOfGreaterPriority() {
        ManagedFabric.Running master = begin("h1", 5);
        run(SECOND);
        begin("h4", 4);
        run(60 * SECOND);
        assertStates(SmInfo.STATE_MASTER, SmInfo.STATE_STANDBY);
        assertMaster(master);
    }

    @Test
    void shouldHandTheSubnetOverAndKeepLids() {
        ManagedFabric.Running before = begin("h1", 1);
        run(SECOND);
        int lid = fabric.find("h3").port(1).lid();
        ManagedFabric.Running after = begin("h4", 9);
        run(5 * SECOND);
        assertStates(SmInfo.STATE_STANDBY, SmInfo.STATE_MASTER);
        assertMaster(after);
        assertEquals(lid, fabric.find("h3").port(1).lid());
        ManagementPacket order = before.lastReceived(MadMethod.SET);
        assertEquals(SmInfo.ACKNOWLEDGE, Mad.modifier(order.mad(), 0));
        assertEquals(SmInfo.STATE_STANDBY, SmInfo.STATE.get(order.mad(), Smp.DATA_OFFSET), "of a manager that stands by, says opensm");
        assertEquals(1, before.manager().counters().get(SmCounter.STANDBY));
    }

    @Test
    void shouldTakeADeadMastersPlace() {
        ManagedFabric.Running master = begin("h1", 5);
        ManagedFabric.Running heir = begin("h4", 4);
        run(5 * SECOND);
        assertMaster(master);
        master.die();
        run(30 * SECOND);
        assertStates(SmInfo.STATE_MASTER);
        assertMaster(heir);
    }

    @Test
    void shouldBecomeInactiveAndStandByAgainWhenControlled() {
        begin("h1", 5);
        ManagedFabric.Running below = begin("h4", 4);
        run(5 * SECOND);
        assertEquals(MadStatus.OK, control(below, SmInfo.DISABLE));
        assertEquals(SmInfo.STATE_NOT_ACTIVE, below.manager().state());
        assertEquals(MadStatus.INVALID_FIELD, control(below, SmInfo.DISCOVER));
        assertEquals(MadStatus.OK, control(below, SmInfo.STANDBY));
        assertEquals(SmInfo.STATE_STANDBY, below.manager().state());
        assertEquals(MadStatus.OK, control(below, SmInfo.DISCOVER));
        assertEquals(SmInfo.STATE_DISCOVERING, below.manager().state());
        run(5 * SECOND);
        assertEquals(SmInfo.STATE_STANDBY, below.manager().state());
    }

    @Test
    void shouldRefuseControlThatItsStateDoesNotAllow() {
        ManagedFabric.Running master = begin("h1", 5);
        run(SECOND);
        for (int modifier : new int[] {0, SmInfo.ACKNOWLEDGE, SmInfo.DISABLE, SmInfo.STANDBY, SmInfo.DISCOVER, 6, -1}) {
            assertEquals(MadStatus.INVALID_FIELD, control(master, modifier), () -> "modifier " + modifier);
        }
        assertEquals(7, master.manager().counters().get(SmCounter.DROP_BAD_STATE));
        run(SECOND);
        assertMaster(master);
    }

    /** Two masters of halves that are connected meet: the one that hands over may know more than the other one. */
    @Test
    void shouldAcceptTheSubnetAsAMasterToo() {
        ManagedFabric.Running master = begin("h1", 5);
        run(SECOND);
        long sweeps = master.manager().counters().get(SmCounter.HEAVY_SWEEPS);
        assertEquals(MadStatus.OK, control(master, SmInfo.HANDOVER));
        run(SECOND);
        assertMaster(master);
        assertEquals(sweeps + 1, master.manager().counters().get(SmCounter.HEAVY_SWEEPS));
    }

    /** As opensm does it: the manager has just begun, and may have asked the master for its state before that stood by. */
    @Test
    void shouldTakeASubnetThatIsHandedOverWhileItDiscovers() {
        ManagedFabric.Running before = begin("h1", 1);
        run(SECOND);
        ManagedFabric.Running after = begin("h4", 9);
        run(MS);
        assertEquals(SmInfo.STATE_DISCOVERING, after.manager().state());
        assertEquals(MadStatus.OK, control(after, SmInfo.HANDOVER));
        assertEquals(SmInfo.STATE_MASTER, after.manager().state());
        run(5 * SECOND);
        assertStates(SmInfo.STATE_STANDBY, SmInfo.STATE_MASTER);
        assertMaster(after);
        assertEquals(0, after.manager().counters().get(SmCounter.STANDBY));
        assertEquals(1, before.manager().counters().get(SmCounter.STANDBY));
    }

    /** A master asks a new manager once. If that does not answer in time, busy with its start, it must remind the master later. */
    @Test
    void shouldRemindAMasterThatItGoesBefore() {
        ManagedFabric.Running before = begin("h1", 1);
        run(SECOND);
        ManagedFabric.Running after = begin("h4", 9);
        after.setDeaf(true);
        run(2 * SECOND);
        assertStates(SmInfo.STATE_MASTER, SmInfo.STATE_STANDBY);
        after.setDeaf(false);
        long traps = before.manager().counters().get(SmCounter.TRAPS);
        run(5 * SECOND);
        assertStates(SmInfo.STATE_STANDBY, SmInfo.STATE_MASTER);
        assertMaster(after);
        assertEquals(traps + 1, before.manager().counters().get(SmCounter.TRAPS));
    }

    /** The bytes are those of IBA vol 1 §14.2.5.1, trap 144. */
    @Test
    void shouldRemindByATrapOfItsPriority() {
        ManagedFabric.Running master = begin("h1", 1);
        run(SECOND);
        ManagedFabric.Running after = begin("h4", 9);
        after.setDeaf(true);
        run(4 * SECOND);
        int lid = after.port().lid();
        ManagementPacket trap = master.lastReceived(MadMethod.TRAP);
        assertEquals(lid, trap.slid());
        assertEquals(master.port().lid(), trap.dlid());
        int capabilities = PortInfo.CAPABILITY_MASK.get(after.port().copyInfo(), 0);
        assertEquals("840000040090" + hex(lid, 4) + "00000000" + hex(lid, 4) + "0001" + hex(capabilities, 8) + "00080000",
            HexFormat.of().formatHex(trap.mad().array(), Smp.DATA_OFFSET, Smp.DATA_OFFSET + 24));
    }

    private static String hex(int value, int digits) {
        return HexFormat.of().toHexDigits(value, digits);
    }

    /** A master of a greater priority is not reminded. */
    @Test
    void shouldNotRemindAMasterThatGoesBeforeIt() {
        ManagedFabric.Running master = begin("h1", 5);
        run(SECOND);
        begin("h4", 4);
        run(5 * SECOND);
        long traps = master.manager().counters().get(SmCounter.TRAPS);
        run(60 * SECOND);
        assertEquals(traps, master.manager().counters().get(SmCounter.TRAPS));
    }

    /** @return status of the answer */
    private int control(ManagedFabric.Running to, int modifier) {
        ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
        Smp.begin(mad, 0, MadMethod.SET, SmAttribute.SM_INFO, modifier, 77, 0);
        to.manager().onPacket(ManagementPacket.lidRouted(9, to.port().lid(), mad), managed.nowNs());
        ManagementPacket answer = to.manager().transmit(managed.nowNs());
        assertNotNull(answer);
        assertEquals(MadMethod.GET_RESPONSE, answer.method());
        return Smp.status(answer.mad(), 0);
    }
}
