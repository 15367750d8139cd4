// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileInputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.abi.ucm.UcmCommand;
import org.softrdma.abi.ucm.UcmCreateId;
import org.softrdma.abi.ucm.UcmEvent;
import org.softrdma.abi.ucm.UcmEventsReported;
import org.softrdma.abi.ucm.UcmGetEvent;
import org.softrdma.abi.ucm.UcmIdResponse;
import org.softrdma.abi.ucm.UcmWriteEvent;
import org.softrdma.daemon.trap.PlayedCall;

/** Delivery of events: polling, waiting, interruption, counts at destruction, migration. Behaviour of Linux's ucma.c. */
@Timeout(60)
class UcmEventsTest extends OneProgramTests {
    private static final int EAGAIN = -11;
    private static final int ENOMEM = -12;
    private static final int EFAULT = -14;
    private static final int EINVAL = -22;
    private static final int GOT_EVENT = UcmCommand.BYTES + UcmGetEvent.BYTES;
    private static final int PORT = 7472;
    private static final int THREADS = 4;

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

    /** rdma_write_cm_event of rdma-core 60, as rdma_resolve_addrinfo uses it. */
    @Test
    void shouldDeliverWhatTheProgramHasWritten() {
        int id = program.create(channel, UcmCreateId.PS_TCP);
        for (int type = 0; type < 32; type++) {
            boolean allowed = type == 18 || type == 19;
            assertEquals(allowed ? UcmCommand.BYTES + UcmWriteEvent.BYTES : EINVAL, write(id, type));
        }
        assertEquals(2, program.readable(channel));
        for (int type = 18; type < 20; type++) {
            MemorySegment event = program.event(channel);
            assertEquals(id, UcmEvent.id(event, 0));
            assertEquals(type, UcmEvent.event(event, 0));
            assertEquals(-7, UcmEvent.status(event, 0));
            assertEquals(0x55667788, event.get(JAVA_INT_UNALIGNED, UcmEvent.CONNECTION_PARAMETERS_OFFSET));
            assertEquals(0x11223344, event.get(JAVA_INT_UNALIGNED, UcmEvent.CONNECTION_PARAMETERS_OFFSET + 4));
        }
        assertEquals(2, program.destroy(channel, id));
    }

    /** A program is killed while its threads create and destroy identifiers: the last of these calls closes the channel. */
    @Test
    void shouldCloseTheChannelOfAProgramThatEndsDuringCalls() throws InterruptedException {
        for (int round = 0; round < 12; round++) {
            int ending = program.open();
            CountDownLatch created = new CountDownLatch(THREADS);
            List<Thread> calls = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                calls.add(Thread.ofPlatform().start(() -> createAndDestroy(ending, created)));
            }
            created.await();
            program.file(ending).closed();
            for (Thread each : calls) {
                each.join();
            }
            assertEquals(-1, program.file(ending).lastCloseDescriptor(), "the pipe is open after round " + round);
        }
    }

    /** Creates and destroys identifiers until that is refused. */
    private void createAndDestroy(int ending, CountDownLatch created) {
        MemorySegment response = program.allocate(8);
        while (program.tryCreate(ending, UcmCreateId.PS_TCP, 2, response) > 0) {
            created.countDown();
            program.destroy(ending, UcmIdResponse.id(response, 0));
        }
        created.countDown();
    }

    @Test
    void shouldRefuseToKeepEventsWithoutEnd() {
        int id = program.create(channel, UcmCreateId.PS_TCP);
        for (int i = 0; i < UcmLimits.WRITTEN_EVENTS; i++) {
            assertTrue(write(id, 18) > 0);
        }
        assertEquals(ENOMEM, write(id, 18));
        assertEquals(0, program.destroy(channel, id), "unread events are dropped");
        assertEquals(0, program.readable(channel));
    }

    private long write(int id, int type) {
        MemorySegment command = program.command(24, UcmWriteEvent.BYTES, 0);
        MemorySegment body = CmProgram.body(command);
        UcmWriteEvent.id(body, 0, id);
        UcmWriteEvent.event(body, 0, type);
        UcmWriteEvent.status(body, 0, -7);
        UcmWriteEvent.arg(body, 0, 0x1122334455667788L);
        return program.write(channel, command);
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
