// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.host.config.ConfiguredLink;
import org.softrdma.host.config.LinkStore;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Links at ports of fabrics in the user's file of links. */
class FabricLinkTypeTest {
    @TempDir
    private Path directory;

    private static ConfiguredLink link(String... options) {
        Map<String, String> map = new LinkedHashMap<>();
        for (int i = 0; i < options.length; i += 2) {
            map.put(options[i], options[i + 1]);
        }
        return new ConfiguredLink("ib0", "ib", "", map);
    }

    @Test
    void shouldKeepLinksWithoutAnInterface() throws IOException {
        LinkStore store = LinkStore.at(directory);
        store.add(link("fabric", "lab", "node", "h1", "port", "2"));
        assertTrue(Files.readAllLines(store.file()).contains("link ib0 type ib fabric lab node h1 port 2"));
        assertEquals(new AttachedPort("lab", "h1", 2, List.of()), FabricLinkType.port(store.links().getFirst()));
        assertEquals(new AttachedPort("fabric0", "h7", 1, List.of()), FabricLinkType.port(link("node", "h7")));
    }

    @Test
    void shouldRefuseWhatNamesNoPort() {
        LinkStore store = LinkStore.at(directory);
        for (ConfiguredLink each : new ConfiguredLink[] {link(), link("fabric", "lab"), link("node", "h1", "port", "0"),
            link("node", "h1", "port", "255"), link("node", "h1", "port", "x"), link("node", "h1", "fabric", "a/b")}) {
            assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, () -> store.add(each), each.toString()).errno());
        }
    }

    @Test
    void shouldRefuseALineWithAnInterface() throws IOException {
        LinkStore store = LinkStore.at(directory);
        Files.writeString(store.file(), "link ib0 type ib netdev lo node h1\n");
        assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, store::links).errno());
        Files.writeString(store.file(), "link rxe0 type rxe record 64\n");
        assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, store::links).errno());
    }

    @Test
    void shouldHaveNoDefaultDevices() {
        assertTrue(LinkStore.at(directory).effectiveLinks().stream().noneMatch(each -> each.type().equals("ib")));
    }
}
