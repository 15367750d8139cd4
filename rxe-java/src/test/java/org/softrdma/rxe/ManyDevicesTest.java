// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.host.config.LinkStore;
import org.softrdma.host.config.NetDevice;
import org.softrdma.rxe.config.RxeLinkType;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Verbs;

/** Many devices in one process, more than 127.0.0.x has addresses. */
class ManyDevicesTest {
    private static final int DEVICES = 300;
    /** A quiet machine takes a few seconds; a search of /proc for every address that is taken took minutes. */
    private static final long LIMIT_MS = 180_000;

    /** Opens all configured devices, each by its name as a program does; prints the time and what the devices are like. */
    static final class Program {
        private Program() {
        }

        public static void main(String[] arguments) {
            long beganNs = System.nanoTime();
            List<Context> contexts = new ArrayList<>();
            for (RdmaDevice device : Verbs.devices()) {
                contexts.add(Verbs.open(device.name()));
            }
            long openedNs = System.nanoTime();
            Set<Gid> addresses = new HashSet<>();
            for (Context context : contexts) {
                context.queryGidTable().stream().map(GidEntry::gid).filter(Gid::isIpv4Mapped).forEach(addresses::add);
            }
            long watchers = Thread.getAllStackTraces().keySet().stream().filter(each -> each.getName().endsWith("watch")).count();
            System.out.println("opened " + contexts.size() + ", addresses " + addresses.size() + ", watchers " + watchers);
            System.out.println((openedNs - beganNs) / 1_000_000);
            contexts.forEach(Context::close);
        }
    }

    @Test
    void shouldOpenThreeHundredDevicesInSeconds(@TempDir Path state) throws IOException, InterruptedException {
        NetDevice loopback = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElse(null);
        assumeTrue(System.getProperty("os.name").equals("Linux") && loopback != null, "other systems have 127.0.0.1 only");
        LinkStore store = LinkStore.at(state);
        for (int i = 0; i < DEVICES; i++) {
            store.add("many" + i, new RxeLinkType().name(), loopback.name());
        }
        Path output = state.resolve("output");
        ProcessBuilder program = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"), Program.class.getName())
            .redirectErrorStream(true).redirectOutput(output.toFile());
        program.environment().put("SOFTRDMA_STATE_DIR", state.toString());
        int exit = program.start().waitFor();
        List<String> lines = Files.readAllLines(output, StandardCharsets.UTF_8);
        assertEquals(0, exit, lines.toString());
        assertEquals("opened " + DEVICES + ", addresses " + DEVICES + ", watchers 1", lines.getFirst());
        long openedMs = Long.parseLong(lines.getLast());
        assertTrue(openedMs < LIMIT_MS, DEVICES + " devices took " + openedMs + " ms");
    }
}
