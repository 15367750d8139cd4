// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.softrdma.host.config.NetDevice;

/** Where processes keep their user's state. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class HomeTest extends ToolProcesses {
    private static final String LOOPBACK = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow().name();

    private Path home;
    /** Stands for the home directory in the list of users, so that a mistake does not write the real one. */
    private Path listed;

    @BeforeEach
    void moveHome() throws Exception {
        home = Files.createDirectory(directory.resolve("home"));
        listed = Files.createDirectory(directory.resolve("listed"));
        jvmOptions.add("-Duser.home=" + listed);
        environment.putAll(Map.of("SOFTRDMA_STATE_DIR", "", "XDG_STATE_HOME", ""));
    }

    @Test
    void shouldKeepLinksUnderHome() throws Exception {
        environment.put("HOME", home.toString());
        assertEquals(new Ended(0, "", ""), start("rdma link add rxe7 type rxe netdev " + LOOPBACK).await());

        assertEquals(List.of(), entries(listed));
        assertTrue(Files.readString(state(home).resolve("links")).contains("link rxe7 type rxe netdev " + LOOPBACK));
        assertTrue(start("rdma link").await().out().contains("rxe7/1"));
        environment.put("HOME", directory.resolve("another").toString());
        assertFalse(start("rdma link").await().out().contains("rxe7/1"));
    }

    @Test
    void shouldKeepLinksUnderTheListedHomeWithoutHome() throws Exception {
        environment.put("HOME", "");
        assertEquals(new Ended(0, "", ""), start("rdma link add rxe7 type rxe netdev " + LOOPBACK).await());

        assertTrue(Files.exists(state(listed).resolve("links")));
    }

    @Test
    void shouldPreferTheXdgDirectoryOverHome() throws Exception {
        environment.put("HOME", home.toString());
        environment.put("XDG_STATE_HOME", directory.resolve("xdg").toString());
        assertEquals(new Ended(0, "", ""), start("rdma link add rxe7 type rxe netdev " + LOOPBACK).await());

        assertEquals(List.of(), entries(home));
        assertTrue(Files.exists(directory.resolve("xdg/softrdma/links")));
    }

    private static Path state(Path of) {
        return of.resolve(OS.MAC.isCurrentOs() ? "Library/Application Support/softrdma" : ".local/state/softrdma");
    }

    private static List<Path> entries(Path of) throws Exception {
        try (Stream<Path> all = Files.list(of)) {
            return all.toList();
        }
    }
}
