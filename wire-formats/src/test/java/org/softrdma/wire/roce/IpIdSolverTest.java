// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.zip.CRC32;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.softrdma.wire.net.Ipv4;

/** Against java.util.zip.CRC32 over real byte strings with the ID in them. */
class IpIdSolverTest {
    private static final int BEFORE_ID = 12;

    private static int crc(byte[] covered, int id) {
        covered[BEFORE_ID] = (byte) (id >>> 8);
        covered[BEFORE_ID + 1] = (byte) id;
        CRC32 crc = new CRC32();
        crc.update(covered);
        return (int) crc.getValue();
    }

    private static byte[] covered(Random random, int bytesAfterId) {
        byte[] bytes = new byte[BEFORE_ID + 2 + bytesAfterId];
        random.nextBytes(bytes);
        return bytes;
    }

    @Test
    void shouldFindEveryId() {
        IpIdSolver solver = new IpIdSolver();
        byte[] covered = covered(new Random(1), 54);
        int zero = crc(covered, 0);
        for (int id = 0; id <= 0xFFFF; id++) {
            assertEquals(id, solver.solve(zero, crc(covered, id), 54));
        }
    }

    @Property
    void shouldFindIdAtAnyLength(@ForAll @IntRange(max = 0xFFFF) int id, @ForAll @IntRange(max = 9000) int bytesAfterId,
            @ForAll long seed) {
        byte[] covered = covered(new Random(seed), bytesAfterId);
        assertEquals(id, new IpIdSolver().solve(crc(covered, 0), crc(covered, id), bytesAfterId));
    }

    @Property
    void shouldTellTheDifferenceAnIdMakes(@ForAll @IntRange(max = 0xFFFF) int id, @ForAll @IntRange(max = 9000) int bytesAfterId,
            @ForAll long seed) {
        byte[] covered = covered(new Random(seed), bytesAfterId);
        assertEquals(crc(covered, 0) ^ crc(covered, id), new IpIdSolver().difference(id, bytesAfterId));
    }

    /** One solver, lengths that share table slots: an entry must never be used for another length. */
    @Property(tries = 50)
    void shouldKeepLengthsApart(@ForAll long seed) {
        Random random = new Random(seed);
        IpIdSolver solver = new IpIdSolver();
        for (int i = 0; i < 100; i++) {
            int bytesAfterId = 34 + random.nextInt(4) * 1024 + random.nextInt(8);
            int id = random.nextInt(0x10000);
            byte[] covered = covered(random, bytesAfterId);
            assertEquals(id, solver.solve(crc(covered, 0), crc(covered, id), bytesAfterId));
        }
    }

    /** Brute force over all 65536 IDs is the judge of what a damaged packet may be mistaken for. */
    @Property(tries = 20)
    void shouldAgreeWithBruteForceOnDamagedPackets(@ForAll long seed) {
        Random random = new Random(seed);
        byte[] covered = covered(random, 34 + random.nextInt(200));
        int bytesAfterId = covered.length - BEFORE_ID - 2;
        int zero = crc(covered, 0);
        int received = random.nextInt();
        int expected = -1;
        for (int id = 0; id <= 0xFFFF; id++) {
            if (crc(covered, id) == received) {
                expected = id;
            }
        }
        assertEquals(expected, new IpIdSolver().solve(zero, received, bytesAfterId));
    }

    /** The CRC sees any damaged byte, so such a packet can at most be taken for one with another ID. */
    @Property
    void shouldNeverFindTheTrueIdInADamagedPacket(@ForAll @IntRange(max = 0xFFFF) int id,
            @ForAll @IntRange(min = 4, max = 1500) int bytesAfterId, @ForAll @IntRange(min = 1, max = 0xFF) int damage, @ForAll long seed) {
        Random random = new Random(seed);
        byte[] covered = covered(random, bytesAfterId);
        int received = crc(covered, id);
        covered[BEFORE_ID + 2 + random.nextInt(bytesAfterId)] ^= (byte) damage;
        int zero = crc(covered, 0);
        assertNotEquals(id, new IpIdSolver().solve(zero, received, bytesAfterId));
    }

    @Test
    void shouldLetThroughOneDamagedPacketIn65536() {
        Random random = new Random(7);
        IpIdSolver solver = new IpIdSolver();
        int accepted = 0;
        int tries = 1 << 20;
        for (int i = 0; i < tries; i++) {
            accepted += solver.solve(random.nextInt(), random.nextInt(), 54) >= 0 ? 1 : 0;
        }
        assertTrue(accepted > 2 && accepted < 48, accepted + " of " + tries + ", expected about 16");
    }

    /** Vector (a): the ConnectX-4 frame carries ID 0x718C. */
    @Test
    void shouldFindTheIdOfTheHardwareFrame() {
        GoldenVectorTest.Vector v = GoldenVectorTest.Vector.A;
        var b = v.buffer();
        int received = Icrc.get(b, v.end);
        b.putShort(v.ipAt + Ipv4.ID_OFFSET, (short) 0);
        int zero = new Icrc().ofIpv4Frame(b, v.ipAt, v.bthAt, v.end);
        assertEquals(14 + 8 + 28, IpIdSolver.bytesAfterId(v.bthAt, v.end));
        assertEquals(0x718C, new IpIdSolver().solve(zero, received, IpIdSolver.bytesAfterId(v.bthAt, v.end)));
    }
}
