// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.recording.RecordedEvent;
import org.softrdma.recording.Recording;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.SendRequest;

/** A queue pair that fails leaves its recording in the directory that was named. */
class FailureRecordingTest {
    private static final String PROPERTY = "softrdma.recordDir";

    @TempDir
    private Path directory;

    @BeforeEach
    void nameDirectory() {
        System.setProperty(PROPERTY, directory.resolve("new").toString());
    }

    @AfterEach
    void forgetDirectory() {
        System.clearProperty(PROPERTY);
    }

    private List<Path> files() throws IOException {
        if (!Files.exists(directory.resolve("new"))) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(directory.resolve("new"))) {
            return all.toList();
        }
    }

    /** Comments of the packet that was recorded last. */
    private static List<String> comments(Path file) throws IOException {
        return ((RecordedEvent.Packet) Recording.read(file).entries().getLast().event()).notes();
    }

    private static void assertStarts(String start, List<String> comments) {
        assertTrue(comments.stream().anyMatch(comment -> comment.startsWith(start)), comments::toString);
    }

    @Test
    void shouldLeaveTheRecordingsOfBothEndsOfARefusal() throws IOException {
        SimulatedPair pair = new SimulatedPair(1, new SimulatedPair.Setup());
        MemoryRegion from = pair.a.memory(64, AccessFlags.LOCAL_WRITE);
        MemoryRegion to = pair.b.memory(64, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ);
        pair.a.qp.postSend(new SendRequest().write(to.address(), to.rkey()).element(from, 0, 64).signaled());
        pair.runUntil(() -> !pair.a.sends().isEmpty());
        List<Path> files = files();
        assertEquals(2, files.size(), files::toString);
        String end = "-" + ProcessHandle.current().pid() + "-0x" + Integer.toHexString(pair.a.qp.qpNum()) + ".pcapng";
        Path mine = files.stream().filter(file -> file.toString().endsWith(end)).findFirst().orElseThrow();
        Path peers = files.stream().filter(file -> !file.equals(mine)).findFirst().orElseThrow();
        assertStarts("failed: remote access error: the peer refused the RDMA_WRITE of ", comments(mine));
        assertStarts("completed: work request 0 REM_ACCESS_ERR (nak-remote-access)", comments(mine));
        assertStarts("state RTS > ERR", comments(mine));
        assertStarts("refused: rkey 0x" + Integer.toHexString(to.rkey())
            + " grants LOCAL_WRITE|REMOTE_READ, the RDMA_WRITE needs REMOTE_WRITE", comments(peers));
    }

    @Test
    void shouldLeaveNothingWhereTheProgramEndsAQueuePair() throws IOException {
        SimulatedPair pair = new SimulatedPair(1, new SimulatedPair.Setup());
        pair.a.qp.modify(new QpAttributes().state(QpState.ERR));
        pair.settle();
        assertEquals(List.of(), files());
    }
}
