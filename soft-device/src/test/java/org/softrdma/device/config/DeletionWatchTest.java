// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeletionWatchTest {
    private static final String LO = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow().name();

    @TempDir
    private Path directory;
    private LinkStore store;
    private int deletions;

    @BeforeEach
    void configure() {
        store = LinkStore.at(directory);
        store.add("rxe0", "rxe", LO);
        store.add("rxe1", "rxe", LO);
    }

    private void look(DeletionWatch watch) {
        watch.look(() -> deletions++);
    }

    @Test
    void shouldTellOfADeletedLinkOnce() {
        DeletionWatch watch = new DeletionWatch(store, "rxe0");
        store.remove("rxe1");
        look(watch);
        assertEquals(0, deletions);
        store.remove("rxe0");
        look(watch);
        look(watch);
        assertEquals(1, deletions);
        store.add("rxe0", "rxe", LO);
        look(watch);
        store.remove("rxe0");
        look(watch);
        assertEquals(2, deletions);
    }

    /** There is a device on every interface until one is configured. */
    @Test
    void shouldNotTakeADefaultDeviceForDeleted() {
        LinkStore empty = LinkStore.at(directory.resolve("nothing"));
        DeletionWatch watch = new DeletionWatch(empty, "rxe7");
        empty.add("other", "rxe", LO);
        look(watch);
        assertEquals(0, deletions);
    }

    @Test
    void shouldNotTakeAFileThatIsNotUnderstoodForADeletion() throws IOException {
        DeletionWatch watch = new DeletionWatch(store, "rxe0");
        String good = Files.readString(store.file());
        Files.writeString(store.file(), "what is this?\n");
        look(watch);
        assertEquals(0, deletions);
        Files.writeString(store.file(), good);
        store.remove("rxe0");
        look(watch);
        assertEquals(1, deletions);
    }
}
