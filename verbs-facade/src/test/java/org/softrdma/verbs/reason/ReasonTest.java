// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs.reason;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.WrOpcode;

class ReasonTest {
    /** An entry is complete, and says each thing once. */
    @ParameterizedTest
    @EnumSource(Reason.class)
    void shouldHaveACompleteEntry(Reason reason) {
        ReasonText text = reason.text();
        assertNotNull(text, "reasons.txt has no entry " + reason.shortName());
        assertTrue(text.sentence().length() > 20 && !text.sentence().endsWith("."), text.sentence());
        assertTrue(text.rule().matches(".*(IBA|A17|RFC|release 1\\.6|rdma|option|bound|interface|registered|destroyed).*"), text.rule());
        assertTrue(text.values().size() <= 8, "a recording keeps eight values");
        Set<String> said = new HashSet<>(text.causes());
        assertEquals(text.causes().size(), said.size());
        assertEquals(new HashSet<>(text.values()).size(), text.values().size(), "a value has one place");
        assertTrue(said.add(text.remedy()), text.remedy());
    }

    @Test
    void shouldFindReasonsByNumberAndName() {
        assertEquals(Reason.RKEY_RANGE, Reason.of(0x0305));
        assertEquals(Reason.PATH_MTU_TOO_LARGE, Reason.of(90));
        assertNull(Reason.of(0));
        assertEquals("rkey-range", Reason.RKEY_RANGE.shortName());
        assertEquals(Reason.RKEY_RANGE, Reason.named("rkey-range"));
        assertEquals(Reason.DROP_BAD_ICRC, Reason.named("drop_bad_icrc"));
        assertNull(Reason.named("rkey"));
    }

    @Test
    void shouldPutValuesIntoTheSentence() {
        Failure failure = Failure.of(Reason.RKEY_RANGE, 0x1f03, 0x7f0000000000L, 4096, WrOpcode.RDMA_WRITE.value(), 0x7f0000000ff0L, 64);
        assertEquals("rkey 0x1f03 covers [0x7f0000000000, +4096), the RDMA_WRITE asked for [0x7f0000000ff0, +64)", failure.sentence());
        assertEquals(failure.sentence() + " [0x0305 rkey-range]", failure.toString());
        assertEquals("rkey … covers […, +…), the … asked for […, +…)", Reason.RKEY_RANGE.text().plain());
    }

    @Test
    void shouldLeaveValuesThatAreNotKnownOut() {
        assertEquals("rkey 0x1f03 covers […, +…), the … asked for […, +…)", Failure.of(Reason.RKEY_RANGE, 0x1f03).sentence());
    }

    @Test
    void shouldNameTheFailureThatAnotherFollowsFrom() {
        Failure first = Failure.of(Reason.RECEIVER_NOT_READY, 0x12, 8);
        assertEquals("not executed: the queue pair went to ERR first: RNR retry counter exceeded: qp 0x12 had no receive posted for 8 "
            + "transmissions of a message [0x0204 receiver-not-ready]", Failure.of(Reason.FLUSHED).after(first).toString());
    }

    @ParameterizedTest
    @CsvSource({"RKEY, 0xfffffff0, -16", "ADDRESS, 0xfffffffffffffff0, -16", "BYTES, 4294967295, 4294967295", "ACCESS, 0, 0",
        "WANTED, REMOTE_WRITE|REMOTE_READ, 6", "ACCESS, LOCAL_WRITE|0x1000, 4097", "OPERATION, RDMA_READ, 4", "STATE, RTS, 3"})
    void shouldReadTheTextsOfValues(ReasonValue value, String text, long number) {
        assertEquals(text, value.format(number));
        assertEquals(text, value.format(value.parse(text)));
    }

    @Test
    void shouldFormatTimesInTheUnitThatFits() {
        assertEquals("4.1 us", ReasonValue.TIME.format(4_096));
        assertEquals("67.1 ms", ReasonValue.TIME.format(67_108_864));
        assertEquals("1.07 s", ReasonValue.TIME.format(1_073_741_824));
    }

    @Test
    void shouldRefuseTextsThatAreNoValues() {
        assertThrows(IllegalArgumentException.class, () -> ReasonValue.OPERATION.parse("NONE"));
        assertThrows(IllegalArgumentException.class, () -> ReasonValue.STATE.parse("9"));
        assertThrows(IllegalArgumentException.class, () -> ReasonValue.ACCESS.parse("WRITE"));
        assertThrows(IllegalArgumentException.class, () -> ReasonValue.RKEY.parse("0xzz"));
        assertEquals("operation 99", ReasonValue.OPERATION.format(99));
        assertEquals("state 99", ReasonValue.STATE.format(99));
        assertEquals(3, ReasonValue.STATE.parse(QpState.RTS.toString()));
        assertEquals(AccessFlags.LOCAL_WRITE, ReasonValue.ACCESS.parse("LOCAL_WRITE"));
    }
}
