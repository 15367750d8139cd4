// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.linux.process.EventPipe;

/** The watch of pipes, whose descriptors get the numbers of closed ones. */
@Timeout(30)
class EndWatchTest {
    private static final int MOST_PIPES = 64;

    private final EndWatch watch = new EndWatch();
    private final List<EventPipe> pipes = new ArrayList<>();
    private final AtomicBoolean wrong = new AtomicBoolean();
    private final AtomicBoolean reused = new AtomicBoolean();
    private boolean replaced;

    @AfterEach
    void end() {
        watch.close();
        pipes.forEach(EventPipe::close);
    }

    private EventPipe pipe() {
        EventPipe made = new EventPipe();
        pipes.add(made);
        return made;
    }

    /** Two pipes end at once; the end of the one closes the other, whose number a third one gets. */
    @Test
    void shouldNotTakeALateEventForOneOfANewDescriptor() throws InterruptedException {
        EventPipe gate = pipe();
        EventPipe one = pipe();
        EventPipe other = pipe();
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch bothEnded = new CountDownLatch(1);
        watch.onLastClose(gate.writer(), () -> {
            busy.countDown();
            await(bothEnded);
        });
        watch.onLastClose(one.writer(), () -> replace(other));
        watch.onLastClose(other.writer(), () -> replace(one));
        gate.closeReader();
        busy.await();
        one.closeReader();
        other.closeReader();
        bothEnded.countDown();

        EventPipe last = pipe();
        CountDownLatch allSeen = new CountDownLatch(1);
        watch.onLastClose(last.writer(), allSeen::countDown);
        last.closeReader();
        allSeen.await();
        assertTrue(reused.get(), "no pipe got the old number");
        assertFalse(wrong.get(), "the pipe with the old number is open");
    }

    /** Called by the watch's thread. Whichever is first replaces the other. */
    private void replace(EventPipe old) {
        if (replaced) {
            return;
        }
        replaced = true;
        int number = old.writer();
        watch.forget(number);
        old.close();
        // Numbers are given from the lowest on, to either end.
        for (int i = 0; i < MOST_PIPES && !reused.get(); i++) {
            EventPipe made = pipe();
            reused.set(made.writer() == number || made.reader() == number);
        }
        watch.onLastClose(number, () -> wrong.set(true));
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }
}
