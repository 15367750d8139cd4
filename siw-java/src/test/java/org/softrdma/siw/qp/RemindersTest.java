// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.softrdma.device.agent.Deadline;

class RemindersTest {
    private static final long MS = 1_000_000;
    private static final long BEGIN_NS = 7;

    private final Reminders reminders = new Reminders();

    @BeforeEach
    void begin() {
        reminders.begin();
    }

    @Test
    void shouldRemindSixTimesAtIntervalsThatDouble() {
        long nowNs = BEGIN_NS;
        reminders.onSent(nowNs);
        for (long interval : new long[] {100, 200, 400, 800, 1600, 3200}) {
            assertEquals(nowNs + interval * MS, reminders.deadlineNs());
            reminders.onTimer(nowNs + interval * MS - 1);
            assertFalse(reminders.isDue());
            nowNs += interval * MS;
            reminders.onTimer(nowNs);
            assertTrue(reminders.isDue());
            assertEquals(Deadline.NEVER, reminders.deadlineNs());
            reminders.onReminded();
            assertFalse(reminders.isDue());
            reminders.onSent(nowNs);
        }
        assertEquals(6300 * MS, nowNs - BEGIN_NS);
        assertEquals(Deadline.NEVER, reminders.deadlineNs(), "no seventh");
    }

    @Test
    void shouldNotStartTheIntervalAnewWithEachFrame() {
        reminders.onSent(BEGIN_NS);
        reminders.onSent(BEGIN_NS + 50 * MS);
        assertEquals(BEGIN_NS + 100 * MS, reminders.deadlineNs());
        reminders.onTimer(BEGIN_NS + 100 * MS);
        reminders.onSent(BEGIN_NS + 101 * MS);
        assertTrue(reminders.isDue());
        assertEquals(Deadline.NEVER, reminders.deadlineNs(), "the due reminder is sent first");
    }

    @Test
    void shouldBeQuietIfNothingWasSentBeforeThePeerWasHeard() {
        reminders.onHeard();
        reminders.onSent(BEGIN_NS);
        assertEquals(Deadline.NEVER, reminders.deadlineNs());
    }

    @Test
    void shouldEndWithTheNextFrameAfterThePeerWasHeard() {
        reminders.onSent(BEGIN_NS);
        reminders.onHeard();
        assertEquals(BEGIN_NS + 100 * MS, reminders.deadlineNs(), "it may have missed the first frame");
        reminders.onSent(BEGIN_NS + 1);
        assertEquals(Deadline.NEVER, reminders.deadlineNs());
        reminders.onTimer(BEGIN_NS + 100 * MS);
        assertFalse(reminders.isDue());
    }

    @Test
    void shouldRemindOnceMoreIfThePeerWasHeardAndGetsNothing() {
        reminders.onSent(BEGIN_NS);
        reminders.onTimer(BEGIN_NS + 100 * MS);
        reminders.onHeard();
        assertTrue(reminders.isDue());
        reminders.onReminded();
        reminders.onSent(BEGIN_NS + 100 * MS);
        assertEquals(Deadline.NEVER, reminders.deadlineNs());
    }

    @Test
    void shouldForgetADueReminderAtTheEnd() {
        reminders.onSent(BEGIN_NS);
        reminders.onTimer(BEGIN_NS + 100 * MS);
        reminders.end();
        assertFalse(reminders.isDue());
        reminders.onSent(BEGIN_NS + 200 * MS);
        assertEquals(Deadline.NEVER, reminders.deadlineNs());
    }

    @Test
    void shouldBeginAnewWithTheNextConnection() {
        reminders.onSent(BEGIN_NS);
        reminders.onTimer(BEGIN_NS + 100 * MS);
        reminders.onReminded();
        reminders.onSent(BEGIN_NS + 100 * MS);
        reminders.onHeard();
        reminders.end();
        reminders.begin();
        reminders.onSent(BEGIN_NS + 5000 * MS);
        assertEquals(BEGIN_NS + 5100 * MS, reminders.deadlineNs());
    }
}
