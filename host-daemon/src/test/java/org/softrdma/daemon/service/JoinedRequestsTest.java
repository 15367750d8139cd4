// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.daemon.client.RunningDaemon;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.linux.process.LocalSocket;
import org.softrdma.linux.process.ProcessMemory;
import org.softrdma.verbs.Errno;

/** Requests on the daemon's socket that no client of ours sends: each has one answer, and the daemon goes on. */
@Timeout(60)
class JoinedRequestsTest {
    private static final int ROUNDS = 2000;

    private static RunningDaemon daemon;

    private final DaemonMessage outgoing = new DaemonMessage();
    private final DaemonMessage incoming = new DaemonMessage();
    private final LocalSocket socket = new DaemonClient(daemon.state()).connect();

    @BeforeAll
    static void startDaemon() {
        daemon = new RunningDaemon(1);
    }

    /** The daemon's log must be clean. */
    @AfterAll
    static void stopDaemon() {
        daemon.close();
    }

    @AfterEach
    void leave() {
        socket.close();
    }

    private int request(int kind, String text, int... numbers) {
        assertTrue(outgoing.send(socket, kind, numbers, text));
        int answer = incoming.receive(socket);
        while (answer == DaemonMessage.GIVEN) {
            for (int each : socket.receivedDescriptors()) {
                LinuxSockets.close(each);
            }
            answer = incoming.receive(socket);
        }
        return answer;
    }

    private void join() {
        try (ProcessMemory own = ProcessMemory.open((int) ProcessHandle.current().pid())) {
            outgoing.send(socket, DaemonMessage.JOIN, new int[0], PidNamespace.ofThisProcess(), own.memoryFd(), own.mapsFd());
            assertEquals(DaemonMessage.DONE, incoming.receive(socket));
        }
    }

    private void assertFails(Errno errno) {
        assertEquals(-errno.value(), incoming.longNumber(0));
    }

    @Test
    void shouldRefuseRequestsOfAProgramThatHasNotJoined() {
        assertEquals(DaemonMessage.REFUSED, request(DaemonMessage.DEVICES, ""));
        assertEquals(DaemonMessage.REFUSED, request(DaemonMessage.OPEN, "uverbs0"));
        assertEquals(DaemonMessage.REFUSED, request(DaemonMessage.JOIN, PidNamespace.ofThisProcess()), "no descriptors");
    }

    @Test
    void shouldRefuseToJoinTwiceOrFromAnotherPidNamespace() {
        try (ProcessMemory own = ProcessMemory.open((int) ProcessHandle.current().pid())) {
            outgoing.send(socket, DaemonMessage.JOIN, new int[0], "pid:[1]", own.memoryFd(), own.mapsFd());
            assertEquals(DaemonMessage.REFUSED, incoming.receive(socket));
        }
        join();
        assertEquals(DaemonMessage.REFUSED, request(DaemonMessage.JOIN, PidNamespace.ofThisProcess()));
    }

    @Test
    void shouldAnswerCallsOnFilesThatAreNotThere() {
        join();
        assertEquals(DaemonMessage.RESULT, request(DaemonMessage.OPEN, "uverbs99"));
        assertFails(Errno.ENOENT);
        for (int kind : new int[] {DaemonMessage.IOCTL, DaemonMessage.WRITE, DaemonMessage.CLOSE}) {
            assertEquals(DaemonMessage.RESULT, request(kind, "", 12345, 0, 0, 8));
            assertFails(Errno.EIO);
        }
        assertEquals(DaemonMessage.RESULT, request(DaemonMessage.ABOUT, "nobody"));
        assertFails(Errno.ENODEV);
    }

    @Test
    void shouldRefuseCallsOfAnotherKindOfFile() {
        join();
        assertEquals(DaemonMessage.RESULT, request(DaemonMessage.OPEN, "rdma_cm"));
        int connections = (int) incoming.longNumber(0);
        request(DaemonMessage.IOCTL, "", connections, 4096, 0);
        assertFails(Errno.ENOTTY);
        request(DaemonMessage.WRITE, "", connections, 4096, 0, 8);
        assertFails(Errno.EFAULT);
        request(DaemonMessage.WRITE, "", connections, 4096, 0, -1);
        assertFails(Errno.EFAULT);
        request(DaemonMessage.CLOSE, "", connections);
        assertEquals(0, incoming.longNumber(0));
        request(DaemonMessage.CLOSE, "", connections);
        assertFails(Errno.EIO);
    }

    /** Numbers and addresses at random: every request has its answer. */
    @Test
    void shouldAnswerWhateverIsSent() {
        long seed = new SplittableRandom().nextLong();
        System.out.println("seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        join();
        request(DaemonMessage.OPEN, "rdma_cm");
        int connections = (int) incoming.longNumber(0);
        int[] kinds = {DaemonMessage.DEVICES, DaemonMessage.ABOUT, DaemonMessage.OPEN, DaemonMessage.IOCTL, DaemonMessage.WRITE};
        for (int i = 0; i < ROUNDS; i++) {
            int file = random.nextBoolean() ? connections : random.nextInt();
            int answer = request(kinds[random.nextInt(kinds.length)], random.nextBoolean() ? "" : "x".repeat(random.nextInt(300)), file,
                random.nextInt(), random.nextInt(1 << 16), random.nextInt());
            assertEquals(DaemonMessage.RESULT, answer);
        }
        assertArrayEquals(new int[0], socket.receivedDescriptors());
    }
}
