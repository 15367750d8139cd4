// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import static org.junit.jupiter.api.Assertions.assertFalse;

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
        List<EventPipe> tried = new ArrayList<>();
        EventPipe made = new EventPipe();
        while (made.writer() != number && tried.size() < MOST_PIPES) {
            tried.add(made);
            made = new EventPipe();
        }
        pipes.addAll(tried);
        pipes.add(made);
        watch.onLastClose(made.writer(), () -> wrong.set(true));
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }
}
