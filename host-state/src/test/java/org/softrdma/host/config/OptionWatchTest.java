// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

class OptionWatchTest {
    private static final int LOSSY = 10;

    @TempDir
    private Path directory;
    private LinkStore store;
    private final List<Integer> received = new ArrayList<>();

    @BeforeEach
    void configure() {
        store = LinkStore.at(directory);
        String lo = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow().name();
        store.add("alpha0", "alpha", lo);
        store.add("alpha1", "alpha", lo);
    }

    private static OptionWatch<Integer> watch(LinkStore store, String device) {
        return new OptionWatch<>(store, device, AlphaLinkType.LOSS);
    }

    @Test
    void shouldStartWithTheValueInTheFile() {
        store.set("alpha0", AlphaLinkType.LOSS, LOSSY);

        assertEquals(LOSSY, watch(store, "alpha0").value());
        assertEquals(0, watch(store, "alpha1").value());
        assertEquals(0, watch(LinkStore.at(directory.resolve("nothing/there")), "alpha0").value());
    }

    @Test
    void shouldReportAChangeOfItsDeviceOnce() {
        OptionWatch<Integer> watch = watch(store, "alpha0");
        watch.poll(received::add);
        store.set("alpha1", AlphaLinkType.LOSS, LOSSY);
        watch.poll(received::add);
        assertEquals(List.of(), received);

        store.set("alpha0", AlphaLinkType.LOSS, LOSSY);
        watch.poll(received::add);
        watch.poll(received::add);
        store.set("alpha0", AlphaLinkType.LOSS, 0);
        watch.poll(received::add);
        assertEquals(List.of(LOSSY, 0), received);
    }

    @Test
    void shouldReturnToTheUsualValueWhenTheLinkIsDeleted() {
        store.set("alpha0", AlphaLinkType.LOSS, LOSSY);
        OptionWatch<Integer> watch = watch(store, "alpha0");
        store.remove("alpha0");
        watch.poll(received::add);
        assertEquals(List.of(0), received);
    }

    @Test
    void shouldKeepTheValueWhileTheFileIsNotUnderstood() throws IOException {
        store.set("alpha0", AlphaLinkType.LOSS, LOSSY);
        OptionWatch<Integer> watch = watch(store, "alpha0");
        String good = Files.readString(store.file());
        Files.writeString(store.file(), good.replace("loss 10", "loss often"));
        watch.poll(received::add);
        assertEquals(List.of(), received);
        assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, () -> watch(store, "alpha0")).errno());

        Files.delete(store.file());
        watch.poll(received::add);
        assertEquals(List.of(0), received);
    }
}
