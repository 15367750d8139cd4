// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileInputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.abi.ucm.UcmCommand;
import org.softrdma.abi.ucm.UcmCreateId;
import org.softrdma.abi.ucm.UcmEvent;
import org.softrdma.abi.ucm.UcmEventsReported;
import org.softrdma.abi.ucm.UcmGetEvent;
import org.softrdma.daemon.trap.PlayedCall;

/** Delivery of events: polling, waiting, interruption, counts at destruction, migration. Behaviour of Linux's ucma.c. */
@Timeout(60)
class UcmEventsTest extends OneProgramTests {
    private static final int EAGAIN = -11;
    private static final int EFAULT = -14;
    private static final int GOT_EVENT = UcmCommand.BYTES + UcmGetEvent.BYTES;
    private static final int PORT = 7472;

    private int withEvent() {
        int id = program.create(channel, UcmCreateId.PS_TCP);
        assertTrue(program.resolve(channel, id, CmProgram.loopback(PORT)) > 0);
        return id;
    }

    @Test
    void shouldHaveOneReadableByteForEachEvent() {
        assertEquals(0, program.readable(channel));
        assertEquals(EAGAIN, program.tryEvent(channel));
        withEvent();
        int second = withEvent();
        assertEquals(2, program.readable(channel));
        assertEquals(GOT_EVENT, program.tryEvent(channel));
        assertEquals(1, program.readable(channel));
        assertEquals(0, program.destroy(channel, second), "unread events are dropped, not counted");
        assertEquals(0, program.readable(channel));
        assertEquals(EAGAIN, program.tryEvent(channel));
    }

    @Test
    void shouldCountTheEventsThatWereRead() {
        int id = withEvent();
        program.event(channel);
        program.resolveRoute(channel, id);
        program.event(channel);
        assertEquals(2, program.destroy(channel, id));
    }

    @Test
    void shouldWaitForAnEvent() {
        MemorySegment response = program.allocate(UcmEvent.BYTES);
        PlayedCall waiting = program.beginEvent(channel, response);
        assertTrue(waiting.isPending());
        int id = withEvent();
        assertEquals(GOT_EVENT, waiting.await());
        assertEquals(id, UcmEvent.id(response, 0));
        assertEquals(0, program.readable(channel));
    }

    @Test
    void shouldServeWaitingCallsInTheirOrder() {
        MemorySegment first = program.allocate(UcmEvent.BYTES);
        MemorySegment second = program.allocate(UcmEvent.BYTES);
        PlayedCall one = program.beginEvent(channel, first);
        PlayedCall two = program.beginEvent(channel, second);
        int id = withEvent();
        assertEquals(GOT_EVENT, one.await());
        assertEquals(id, UcmEvent.id(first, 0));
        assertTrue(two.isPending(), "the second call still waits");
        int other = withEvent();
        assertEquals(GOT_EVENT, two.await());
        assertEquals(other, UcmEvent.id(second, 0));
    }

    @Test
    void shouldKeepTheEventWhenTheCallerWasInterrupted() {
        PlayedCall interrupted = program.beginEvent(channel, program.allocate(UcmEvent.BYTES));
        interrupted.interrupt();
        int id = withEvent();
        assertEquals(id, UcmEvent.id(program.event(channel), 0));
        assertEquals(1, program.destroy(channel, id));
    }

    @Test
    void shouldKeepTheEventWhenTheAnswerIsLost() {
        MemorySegment response = program.allocate(UcmEvent.BYTES);
        PlayedCall losing = program.beginEvent(channel, response);
        losing.losesAnswer = true;
        int id = withEvent();
        losing.await();
        // Only after the answer is lost does the channel's thread put the event back.
        while (program.readable(channel) == 0) {
            Thread.onSpinWait();
        }
        assertEquals(1, program.readable(channel));
        assertEquals(id, UcmEvent.id(program.event(channel), 0));
        assertEquals(1, program.destroy(channel, id), "read once");
    }

    @Test
    void shouldKeepTheEventWhenTheResponseIsNotWritable() {
        int id = withEvent();
        MemorySegment nowhere = MemorySegment.ofAddress(8);
        assertEquals(EFAULT, program.write(channel, program.eventCommand(nowhere)));
        assertEquals(1, program.readable(channel));
        assertEquals(id, UcmEvent.id(program.event(channel), 0));
    }

    @Test
    void shouldDropAHeldEventWithItsIdentifier() {
        int id = withEvent();
        assertEquals(EFAULT, program.write(channel, program.eventCommand(MemorySegment.ofAddress(8))));
        assertEquals(0, program.destroy(channel, id));
        assertEquals(0, program.readable(channel));
        assertEquals(EAGAIN, program.tryEvent(channel));
    }

    @Test
    void shouldMigrateWithUnreadEvents() {
        int other = program.open();
        int id = withEvent();
        program.event(channel);
        program.resolveRoute(channel, id);
        MemorySegment response = program.allocate(8);
        assertTrue(program.migrate(other, id, channel, response) > 0);
        assertEquals(1, UcmEventsReported.eventsReported(response, 0), "events that librdmacm waits for until they are acknowledged");
        assertEquals(0, program.readable(channel));
        assertEquals(EAGAIN, program.tryEvent(channel));
        assertEquals(1, program.readable(other));
        assertEquals(2, UcmEvent.event(program.event(other), 0), "ROUTE_RESOLVED");
        assertEquals(-22, program.destroy(channel, id), "the identifier is another channel's now");
        assertEquals(2, program.destroy(other, id));
    }

    @Test
    void shouldMigrateAHeldEvent() {
        int other = program.open();
        int id = withEvent();
        assertEquals(EFAULT, program.write(channel, program.eventCommand(MemorySegment.ofAddress(8))));
        assertTrue(program.migrate(other, id, channel, program.allocate(8)) > 0);
        assertEquals(0, program.readable(channel));
        assertEquals(1, program.readable(other));
        assertEquals(id, UcmEvent.id(program.event(other), 0));
    }

    @Test
    void shouldAnswerMigrationToTheSameChannel() {
        int id = withEvent();
        MemorySegment response = program.allocate(8);
        assertTrue(program.migrate(channel, id, channel, response) > 0);
        assertEquals(0, UcmEventsReported.eventsReported(response, 0));
        assertEquals(1, program.readable(channel));
    }

    @Test
    void shouldFailCallsThatWaitWhenTheFileIsClosed() {
        PlayedCall waiting = program.beginEvent(channel, program.allocate(UcmEvent.BYTES));
        program.exit();
        assertEquals(-5, waiting.await());
        assertEquals(-5, program.tryEvent(channel));
    }

    @Test
    void shouldTakeOldLibrariesShorterEvents() {
        int id = withEvent();
        MemorySegment response = program.allocate(UcmEvent.BYTES).fill((byte) 0xa5);
        MemorySegment command = program.eventCommand(response);
        UcmCommand.out(command, 0, 323);
        assertEquals(-28, program.write(channel, command));
        UcmCommand.out(command, 0, 324);
        assertEquals(GOT_EVENT, program.write(channel, command));
        assertEquals(id, UcmEvent.id(response, 0));
        assertEquals(0xa5a5a5a5, UcmEvent.vendorId(response, 0), "nothing is written behind the program's room");
    }

    @Test
    void shouldRestoreTheSignalOfAProgramThatReadsItsPipe() throws IOException {
        int first = withEvent();
        try (FileInputStream pipe = new FileInputStream("/proc/self/fd/" + program.file(channel).descriptor())) {
            assertEquals(1, pipe.readNBytes(1).length);
        }
        program.event(channel);
        withEvent();
        assertEquals(1, program.readable(channel));
        assertEquals(1, program.destroy(channel, first));
    }
}
