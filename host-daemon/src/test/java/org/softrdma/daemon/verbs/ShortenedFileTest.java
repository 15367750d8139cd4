// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.abi.uverbs.RxeSrqResponse;

/** A program that cuts off the file of its rings: pages that we have mapped are gone, as they are when /dev/shm is full. */
@Timeout(60)
final class ShortenedFileTest extends LoopbackPrograms {
    private static final int ENOMEM = -12;

    private final FakeProgram hostile = opened();
    private final FakeObjects its = new FakeObjects(hostile);

    private void shorten() {
        try (FileChannel file = FileChannel.open(Path.of("/proc/self/fd/" + hostile.commandFd), StandardOpenOption.WRITE)) {
            file.truncate(0);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Test
    void shouldKeepNothingOfObjectsWhoseRingsHaveNoMemory() {
        int pd = its.pd();
        FakeObjects.Cq cq = its.cq(8, 1, -1);
        shorten();
        for (int i = 0; i < 3; i++) {
            assertEquals(ENOMEM, its.createQp(pd, cq, null, FakeObjects.RC, FakeObjects.caps(hostile, 4, 4, 1, 0), 1, its.answers()).run());
            assertEquals(ENOMEM, its.createSrq(pd, 4, 1, 0, 1, hostile.room(RxeSrqResponse.BYTES)).run());
            assertEquals(ENOMEM, its.createCq(8, 1, -1, 0, hostile.room(4), hostile.room(16)).run());
        }
        assertEquals(2, hostile.file.objectCount());
        cq.destroy();
        assertEquals(0, its.destroyPd(pd), "no queue pair is left that nobody can destroy");
    }
}
