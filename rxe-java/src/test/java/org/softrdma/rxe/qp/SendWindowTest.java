// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The window alone. Expected sizes are the rules of its class comment, worked out by hand. */
class SendWindowTest {
    private final SendQueueFixture queue = new SendQueueFixture();
    private final FlightBudget budget = new FlightBudget();
    private final SendWindow window = new SendWindow(queue.state, budget);

    /** Sends and acknowledges that many packets. */
    private void progress(int packets) {
        queue.transmitSend(packets);
        queue.acknowledge(packets);
        window.onProgress(packets);
    }

    @Test
    void shouldBeFullAtItsSizeAndNotBefore() {
        window.reset();
        assertEquals(128, window.packets());
        queue.transmitSend(127);
        assertFalse(window.isFull());
        queue.transmitSend(1);
        assertTrue(window.isFull());
        queue.acknowledge(1);
        assertFalse(window.isFull());
    }

    @Test
    void shouldOpenByEightForEachWindowFullOfPackets() {
        window.reset();
        progress(127);
        assertEquals(128, window.packets());
        progress(1);
        assertEquals(136, window.packets());
        progress(135);
        assertEquals(136, window.packets());
        progress(1);
        assertEquals(144, window.packets());
    }

    @Test
    void shouldOpenForEachOfSeveralWindowsThatAreAcknowledgedAtOnce() {
        window.reset();
        progress(3 * 128 + 5);
        assertEquals(128 + 3 * 8, window.packets());
    }

    @Test
    void shouldNotOpenBeyondItsMaximum() {
        window.reset();
        for (int i = 0; i < 100; i++) {
            progress(512);
        }
        assertEquals(512, window.packets());
    }

    @Test
    void shouldCloseByAQuarterForALossAndOnceForSeveralAtATime() {
        window.reset();
        queue.transmitSend(100);
        window.onGap();
        assertEquals(96, window.packets());
        queue.acknowledge(99);
        window.onProgress(99);
        window.onGap();
        assertEquals(104, window.packets(), "96, opened by 8 for 64 packets; one packet of the same flight is still outstanding");
        queue.acknowledge(1);
        window.onProgress(1);
        window.onGap();
        assertEquals(78, window.packets(), "104 - 104/4: a loss of packets sent later");
    }

    @Test
    void shouldReopenFasterUpToWhereItWasBeforeTheLoss() {
        window.reset();
        queue.transmitSend(1);
        window.onGap();
        queue.acknowledge(1);
        window.onProgress(1);
        List<Integer> sizes = new ArrayList<>();
        progress(63);
        sizes.add(window.packets());
        for (int i = 0; i < 3; i++) {
            progress(64);
            sizes.add(window.packets());
        }
        progress(127);
        sizes.add(window.packets());
        progress(1);
        sizes.add(window.packets());
        assertEquals(List.of(104, 112, 120, 128, 128, 136), sizes, "by 8 for each 64 packets up to 128, then for each window full");
    }

    @Test
    void shouldCloseByHalfOnTimeoutDownToItsMinimum() {
        window.reset();
        List<Integer> sizes = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            window.onTimeout();
            sizes.add(window.packets());
        }
        assertEquals(List.of(64, 32, 16, 8, 8, 8), sizes);
    }

    @Test
    void shouldStartOverOnReset() {
        window.reset();
        window.onTimeout();
        window.reset();
        assertEquals(128, window.packets());
    }

    @Test
    void shouldRequestFourAcknowledgementsInAWindowAndOneAtItsEnd() {
        window.reset();
        List<Integer> requested = new ArrayList<>();
        for (int packet = 0; packet < 128; packet++) {
            if (window.needsAcknowledge(packet)) {
                requested.add(packet);
            }
            queue.transmitSend(1);
        }
        assertEquals(List.of(1, 33, 65, 97, 127), requested);
    }

    @Test
    void shouldAccountWhatIsInFlightUpToAWindow() {
        window.reset();
        queue.transmitSend(10);
        window.account();
        assertEquals(10, budget.inFlight());
        assertEquals(1014, window.room());
        queue.acknowledge(4);
        window.account();
        assertEquals(6, budget.inFlight());
        queue.transmitSend(600);
        window.account();
        assertEquals(512, budget.inFlight(), "a READ of 600 responses");
        window.release();
        assertEquals(0, budget.inFlight());
    }

    @Test
    void shouldReportLossAndProgressToTheBudget() {
        window.reset();
        budget.move(1000);
        queue.transmitSend(1);
        window.onGap();
        assertEquals(512, budget.limit());
        window.onProgress(512);
        assertEquals(528, budget.limit());
        window.onTimeout();
        assertEquals(264, budget.limit());
    }
}
