// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.softrdma.wire.Bytes;
import org.softrdma.wire.mad.Field;

/** The tables of fields and components of attributes and records. */
class IbFieldTest {
    /** Structures and their lengths. Different traps overlap in the details of a notice, records with tables in their second word. */
    private static final Map<Class<?>, Integer> STRUCTURES = Map.ofEntries(Map.entry(NodeInfo.class, NodeInfo.LENGTH),
        Map.entry(SwitchInfo.class, SwitchInfo.LENGTH), Map.entry(PortInfo.class, PortInfo.LENGTH), Map.entry(SmInfo.class, SmInfo.LENGTH),
        Map.entry(ClassPortInfo.class, ClassPortInfo.LENGTH), Map.entry(PathRecord.class, PathRecord.LENGTH),
        Map.entry(McMemberRecord.class, McMemberRecord.LENGTH), Map.entry(ServiceRecord.class, ServiceRecord.LENGTH),
        Map.entry(InformInfo.class, InformInfo.LENGTH), Map.entry(LinkRecord.class, LinkRecord.LENGTH),
        Map.entry(PortCounters.class, PerformanceMad.DATA_LENGTH), Map.entry(PortCountersExtended.class, PerformanceMad.DATA_LENGTH));

    private static Map<String, Field> fieldsOf(Class<?> structure) {
        Map<String, Field> fields = new HashMap<>();
        for (java.lang.reflect.Field each : structure.getFields()) {
            if (each.getType() == Field.class) {
                try {
                    fields.put(each.getName(), (Field) each.get(null));
                } catch (IllegalAccessException e) {
                    throw new AssertionError(e);
                }
            }
        }
        return fields;
    }

    @Test
    void shouldHaveFieldsInsideThatDoNotOverlap() {
        STRUCTURES.forEach((structure, length) -> {
            String[] owner = new String[8 * length];
            Map<String, Field> fields = fieldsOf(structure);
            assertTrue(fields.size() >= 3, structure.getSimpleName());
            fields.forEach((name, field) -> {
                for (int bit = 0; bit < 8 * field.length(); bit++) {
                    if ((field.mask() >>> 8 * field.length() - 1 - bit & 1) != 0) {
                        int place = 8 * field.offset() + bit;
                        assertEquals(null, owner[place], structure.getSimpleName() + " " + name);
                        owner[place] = name;
                    }
                }
            });
        });
    }

    /** Numbers of the bits as the specification's tables count them. */
    @Test
    void shouldNumberComponentsAsTheSpecificationDoes() {
        assertEquals(1 << 2, PathRecord.COMPONENTS.bit(PathRecord.DGID_LOW));
        assertEquals(1 << 4, PathRecord.COMPONENTS.bit(PathRecord.DLID));
        assertEquals(1 << 11, PathRecord.COMPONENTS.bit(PathRecord.REVERSIBLE));
        assertEquals(1 << 13, PathRecord.COMPONENTS.bit(PathRecord.PKEY));
        assertEquals(1 << 21, PathRecord.COMPONENTS.bit(PathRecord.LIFE_TIME));
        assertEquals(1 << 1 | 1 << 16, McMemberRecord.COMPONENTS.bits(McMemberRecord.PORT_GID_HIGH, McMemberRecord.JOIN_STATE));
        assertEquals(18, McMemberRecord.COMPONENTS.count());
        assertEquals(15, NodeRecord.COMPONENTS.count());
        assertEquals(1 << 7, PortInfoRecord.COMPONENTS.bit(PortInfoRecord.CAPABILITY_MASK));
        assertEquals(58, PortInfoRecord.COMPONENTS.count());
        assertEquals(37, ServiceRecord.COMPONENTS.count());
        assertEquals(1 << 3, TableRecord.MULTICAST_FORWARDING.bit(TableRecord.MULTICAST_BLOCK));
        assertThrows(IllegalArgumentException.class, () -> LinkRecord.COMPONENTS.bit(PathRecord.DLID));
    }

    @Property
    void shouldCompareTheComponentsOfTheMaskOnly(@ForAll long seed, @ForAll @IntRange(max = 21) int changed) {
        ByteBuffer record = ByteBuffer.allocate(PathRecord.LENGTH);
        new Random(seed).nextBytes(record.array());
        ByteBuffer other = ByteBuffer.allocate(PathRecord.LENGTH);
        other.put(0, record, 0, PathRecord.LENGTH);
        assertTrue(PathRecord.COMPONENTS.match(-1L, record, 0, other, 0));
        for (int i = 0; i < PathRecord.LENGTH; i++) {
            ByteBuffer damaged = ByteBuffer.allocate(PathRecord.LENGTH);
            damaged.put(0, record, 0, PathRecord.LENGTH).put(i, (byte) ~record.get(i));
            boolean differs = !PathRecord.COMPONENTS.match(1L << changed, record, 0, damaged, 0);
            boolean others = PathRecord.COMPONENTS.match(~(1L << changed), record, 0, damaged, 0);
            assertTrue(i > 56 || differs || !others, "byte " + i);
        }
        assertTrue(PathRecord.COMPONENTS.match(0, record, 0, ByteBuffer.allocate(PathRecord.LENGTH), 0));
    }

    @Property
    void shouldReadWhatItWrites(@ForAll @IntRange(max = 15) int sl, @ForAll @IntRange(max = 15) int vl, @ForAll short ports,
            @ForAll @IntRange(max = 31) int index) {
        ByteBuffer b = Bytes.filled(Smp.DATA_LENGTH);
        SlToVlMapping.set(b, 3, sl, vl);
        assertEquals(vl, SlToVlMapping.get(b, 3, sl));
        assertEquals((sl & 1) == 0 ? 0x5 : 0xA, SlToVlMapping.get(b, 3, sl ^ 1));
        MulticastForwardingBlock.set(b, 0, index, ports);
        assertEquals(ports & 0xFFFF, MulticastForwardingBlock.get(b, 0, index));
        VlArbitrationBlock.set(b, 0, index, vl, 200 + sl);
        assertEquals(vl, VlArbitrationBlock.vl(b, 0, index));
        assertEquals(200 + sl, VlArbitrationBlock.weight(b, 0, index));
    }

    @Test
    void shouldMatchPartitionsWithAtLeastOneFullMember() {
        assertTrue(PKeyBlock.match(0xffff, 0x7fff));
        assertTrue(PKeyBlock.match(0xffff, 0xffff));
        assertFalse(PKeyBlock.match(0x7fff, 0x7fff));
        assertFalse(PKeyBlock.match(0x8001, 0x8002));
        assertFalse(PKeyBlock.match(0x8000, 0x8000), "no partition");
    }

    @Test
    void shouldSplitModifiersOfMulticastForwarding() {
        int modifier = MulticastForwardingBlock.modifier(0x1ff, 15);
        assertEquals(0xf00001ff, modifier);
        assertEquals(0x1ff, MulticastForwardingBlock.block(modifier));
        assertEquals(15, MulticastForwardingBlock.position(modifier));
    }
}
