// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.config;

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
    private static final LinkFaults LOSSY = LinkFaults.parse("drop=0.1");

    @TempDir
    private Path directory;
    private LinkStore store;
    private final List<LinkFaults> told = new ArrayList<>();

    @BeforeEach
    void configure() {
        store = LinkStore.at(directory);
        String lo = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow().name();
        store.add("rxe0", "rxe", lo);
        store.add("rxe1", "rxe", lo);
    }

    private static OptionWatch<LinkFaults> watch(LinkStore store, String device) {
        return new OptionWatch<>(store, device, ConfiguredLink::faults, "faults on its link");
    }

    @Test
    void shouldBeginWithWhatTheFileSays() {
        store.setFaults("rxe0", LOSSY);

        assertEquals(LOSSY, watch(store, "rxe0").value());
        assertEquals(LinkFaults.NONE, watch(store, "rxe1").value());
        assertEquals(LinkFaults.NONE, watch(LinkStore.at(directory.resolve("nothing/there")), "rxe0").value());
    }

    @Test
    void shouldTellOfOtherFaultsOfItsDeviceOnce() {
        OptionWatch<LinkFaults> watch = watch(store, "rxe0");
        watch.look(told::add);
        store.setFaults("rxe1", LOSSY);
        watch.look(told::add);
        assertEquals(List.of(), told);

        store.setFaults("rxe0", LOSSY);
        watch.look(told::add);
        watch.look(told::add);
        store.setFaults("rxe0", LinkFaults.NONE);
        watch.look(told::add);
        assertEquals(List.of(LOSSY, LinkFaults.NONE), told);
    }

    @Test
    void shouldEndFaultsWhenTheLinkIsDeleted() {
        store.setFaults("rxe0", LOSSY);
        OptionWatch<LinkFaults> watch = watch(store, "rxe0");
        store.remove("rxe0");
        watch.look(told::add);
        assertEquals(List.of(LinkFaults.NONE), told);
    }

    @Test
    void shouldLeaveFaultsAloneWhileTheFileIsNotUnderstood() throws IOException {
        store.setFaults("rxe0", LOSSY);
        OptionWatch<LinkFaults> watch = watch(store, "rxe0");
        String good = Files.readString(store.file());
        Files.writeString(store.file(), good.replace("drop=0.1", "drop=often"));
        watch.look(told::add);
        assertEquals(List.of(), told);
        assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, () -> watch(store, "rxe0")).errno());

        Files.delete(store.file());
        watch.look(told::add);
        assertEquals(List.of(LinkFaults.NONE), told);
    }
}
