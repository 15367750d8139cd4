// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.config;

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
        store.add("alpha0", "alpha", LO);
        store.add("alpha1", "alpha", LO);
    }

    private void poll(DeletionWatch watch) {
        watch.poll(() -> deletions++);
    }

    @Test
    void shouldReportADeletedLinkOnce() {
        DeletionWatch watch = new DeletionWatch(store, "alpha0");
        store.remove("alpha1");
        poll(watch);
        assertEquals(0, deletions);
        store.remove("alpha0");
        poll(watch);
        poll(watch);
        assertEquals(1, deletions);
        store.add("alpha0", "alpha", LO);
        poll(watch);
        store.remove("alpha0");
        poll(watch);
        assertEquals(2, deletions);
    }

    /** Default devices are not configured; configuring another one does not delete them. */
    @Test
    void shouldNotTakeADefaultDeviceForDeleted() {
        LinkStore empty = LinkStore.at(directory.resolve("nothing"));
        DeletionWatch watch = new DeletionWatch(empty, "alpha7");
        empty.add("other", "alpha", LO);
        poll(watch);
        assertEquals(0, deletions);
    }

    @Test
    void shouldNotTakeAFileThatIsNotUnderstoodForADeletion() throws IOException {
        DeletionWatch watch = new DeletionWatch(store, "alpha0");
        String good = Files.readString(store.file());
        Files.writeString(store.file(), "what is this?\n");
        poll(watch);
        assertEquals(0, deletions);
        Files.writeString(store.file(), good);
        store.remove("alpha0");
        poll(watch);
        assertEquals(1, deletions);
    }
}
