// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The examples are those of opensm(8). */
class PartitionReaderTest {
    private static PartitionPort adapter(long guid) {
        return new PartitionPort(guid, PartitionPort.Kind.CHANNEL_ADAPTER, false);
    }

    private static final PartitionPort MANAGER = new PartitionPort(1, PartitionPort.Kind.CHANNEL_ADAPTER, true);
    private static final PartitionPort SWITCH = new PartitionPort(2, PartitionPort.Kind.SWITCH, false);

    private static List<Integer> pkeys(String text, PartitionPort port) {
        return PartitionReader.read(text).pkeysOf(port);
    }

    @Test
    void shouldMakeAllPortsFullMembersWithoutAFile() {
        assertEquals(List.of(0xFFFF), Partitions.DEFAULT.pkeysOf(adapter(5)));
        assertEquals(4, Partitions.DEFAULT.all().getFirst().broadcast().mtu());
    }

    @Test
    void shouldMakeAllPortsLimitedMembersButTheManagerWithoutARule() {
        String text = "Other=0x10 : ALL=full ;";
        assertEquals(List.of(0x7FFF, 0x8010), pkeys(text, adapter(5)));
        assertEquals(List.of(0xFFFF, 0x8010), pkeys(text, MANAGER));
        assertNull(PartitionReader.read(text).all().getFirst().broadcast());
    }

    @Test
    void shouldKnowTheKindsOfPorts() {
        String text = "Default=0x7fff : ALL, ALL_SWITCHES=full, SELF=full ;";
        assertEquals(List.of(0x7FFF), pkeys(text, adapter(5)));
        assertEquals(List.of(0xFFFF), pkeys(text, SWITCH));
        assertEquals(List.of(0xFFFF), pkeys(text, MANAGER));
        assertEquals(List.of(0x7FFF, 0x8001), pkeys("A : ALL_CAS=full ;", adapter(5)), "a P_Key that is free");
        assertEquals(List.of(0x7FFF), pkeys("A : ALL_ROUTERS=full ;", adapter(5)));
    }

    @Test
    void shouldMergeDefinitionsOfOnePartition() {
        String text = """
            ShareIO = 0x80 , defmember=full : 0x123451, 0x123452;
            # 0x123453, 0x123454 will be limited
            ShareIO = 0x80 : 0x123453, 0x123454, 0x123455=full;
            ShareIO = 0x80 : defmember=limited : 0x123456, 0x123457, 0x123458=full;
            ShareIO = 0x80 , defmember=full : 0x12345b, 0x12345c=limited, 0x12345d;
            """;
        assertEquals(2, PartitionReader.read(text).all().size());
        for (long full : new long[] {0x123451, 0x123452, 0x123455, 0x123458, 0x12345b, 0x12345d}) {
            assertEquals(List.of(0x7FFF, 0x8080), pkeys(text, adapter(full)), Long.toHexString(full));
        }
        for (long limited : new long[] {0x123453, 0x123454, 0x123456, 0x123457, 0x12345c}) {
            assertEquals(List.of(0x7FFF, 0x0080), pkeys(text, adapter(limited)), Long.toHexString(limited));
        }
        assertEquals(List.of(0x7FFF), pkeys(text, adapter(7)));
    }

    @Test
    void shouldKnowTheFlags() {
        String text = """
            NewPartition = 0x8002, ipoib, mtu=5, rate=7 , sl=2,scope = 5, Q_Key=0xDEADBEEF, TClass=9, FlowLabel=0x12345
                : 305419896=both;
            First=3, indx0 : ALL=full ;
            """;
        Partition found = PartitionReader.read(text).all().get(1);
        assertEquals(2, found.pkey());
        assertEquals(new Broadcast(5, 7, 2, 5, 0xDEADBEEF, 9, 0x12345), found.broadcast());
        assertEquals(List.of(0x8003, 0x7FFF, 0x8002, 0x0002), pkeys(text, adapter(0x12345678)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"A=1 : ALL|a definition ends", "A=0 : ALL ;|0 is no P_Key", "A=x : ALL ;|is no number",
        "A ;|expected 'NAME", "A=1, mtu : ALL ;|lacks its value", "A=1, mtu=9 : ALL ;|mtu is 1 to 5|", "A=1, colour=2 : ALL ;|no flag",
        "A=1 : 12z ;|is no number", "A=1 : mgid=ff12::1 ;|mgid=", "A=0x10000 : ALL ;|greater than", "A=1 : b : c ;|defmember"})
    void shouldNameTheLineOfWhatItDoesNotUnderstand(String definition, String why) {
        String message = assertThrows(IllegalArgumentException.class, () -> PartitionReader.read("# one\nGood=5 : ALL ;\n\n" + definition))
            .getMessage();
        assertTrue(message.startsWith("4: ") && message.contains(why), message);
    }

    @Test
    void shouldSurviveAnyText() {
        SplittableRandom random = new SplittableRandom(1);
        String letters = "Aa=01x,:;#\n ,,::;;ALLSELFfull=limited=both0x7fff";
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int j = random.nextInt(60); j > 0; j--) {
                text.append(letters.charAt(random.nextInt(letters.length())));
            }
            try {
                PartitionReader.read(text.toString()).pkeysOf(MANAGER);
            } catch (IllegalArgumentException refused) {
                assertTrue(refused.getMessage().matches("(?s)\\d+: .*"), refused.getMessage());
            }
        }
    }
}
