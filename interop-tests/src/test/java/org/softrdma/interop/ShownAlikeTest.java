// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.host.config.LinkStore;

/**
 * Compares the tools that show devices, on an rxe device of the kernel and on one of ours: the lines must be the same, byte for byte except
 * for the values, and so must the exit code, which is 1 for words that {@code rdma} does not know.
 */
@ExtendWith(LabExtension.class)
class ShownAlikeTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @ParameterizedTest
    @ValueSource(strings = {
        "ibv_devinfo -d rxe0", "ibv_devinfo -v -d rxe0", "ibv_devinfo -d nope", "ibv_devinfo -d rxe0 -i 2", "ibv_devinfo -i 0",
        "ibstat rxe0", "ibstat -s rxe0", "ibstat rxe0 1", "ibstat rxe0 2", "ibstat nope", "ibstat -p rxe0", "ibstat -u",
        "ibstatus rxe0", "ibstatus rxe0:2", "ibstatus nope", "ibstatus -h",
        "rdma link show rxe0/1", "rdma -d link show rxe0/1", "rdma -j link show rxe0/1", "rdma -j -p link show rxe0/1",
        "rdma link show nope/1", "rdma dev show rxe0", "rdma -d dev show rxe0", "rdma -j -p dev show rxe0", "rdma dev show nope",
        "rdma system", "rdma -j system", "rdma system help", "rdma system set", "rdma system show foo",
        "rdma resource show rxe0", "rdma -j resource show rxe0", "rdma -j -p resource show rxe0", "rdma resource help", "rdma resource foo",
        "rdma resource show foo", "rdma resource show qp link nope", "rdma resource show mr dev nope", "rdma resource show qp foo 1",
        "rdma statistic show link rxe0/1", "rdma statistic show link nope/1", "rdma statistic qp show", "rdma statistic foo"})
    void shouldPrintTheLinesOfTheOriginal(String line, KernelLab lab) throws IOException {
        Path file = lab.directory().resolve("shown-alike.txt");
        List<String> command = List.of(line.split(" "));
        Path state = Files.createDirectories(lab.directory().resolve("shown-alike"));
        // Writes the state directly, without the store's checks: the interface exists in the lab's namespace only.
        Files.writeString(LinkStore.at(state).file(), "link rxe0 type rxe netdev tap0\n");
        RunningCommand theirs = lab.guest().start(file, command);
        RunningCommand ours = lab.tool(file, Map.of("SOFTRDMA_STATE_DIR", state.toString()), own(command));
        try (theirs; ours) {
            int exitCode = theirs.awaitExit(PATIENCE);
            // The one deliberate difference: rdma of iproute2 6.1 ends with 0 after a word that it does not know.
            int expected = exitCode == 0 && theirs.output().startsWith("Unknown ") ? 1 : exitCode;
            assertEquals(expected, ours.awaitExit(PATIENCE), theirs.output() + ours.output());
            assertEquals(masked(theirs.output()), masked(ours.output()), line);
        }
    }

    private static String[] own(List<String> command) {
        return Stream.concat(Stream.of("bin/" + command.getFirst()), command.stream().skip(1)).toArray(String[]::new);
    }

    /** Output without values: without numbers, the interface's name, addresses and the lists of a device's capabilities. */
    private static String masked(String output) {
        return output.lines()
            .filter(line -> !line.startsWith("\t\t\t\t\t") && !line.startsWith("    caps: ") && !line.contains("\"caps\": "))
            .map(line -> line.replaceAll("\\b(tap0|eth0)\\b", "NETDEV").replaceAll("0x[0-9a-fA-F]+", "0xN")
                .replaceAll("[0-9a-f]{4}(:[0-9a-f]{4})+", "GUID").replaceAll("GID\\[ *[0-9]+\\]:\t\t[^,]*", "GID")
                .replaceAll("\\b[0-9]+\\b", "N"))
            .collect(Collectors.joining("\n"));
    }
}
