// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.tools.manual.Page;

class ManualTest {
    @TempDir
    private Path directory;

    private static Page page(String tool) {
        return Pages.ofAllTools().stream().filter(each -> each.name().equals(tool)).findFirst().orElseThrow();
    }

    @Test
    void shouldKnowTheOptionsOfTools() {
        assertEquals(Set.of("-d", "--ib-dev", "-i", "--ib-port", "-l", "--list", "-v", "--verbose"), page("ibv_devinfo").options());
        assertEquals(Set.of("-c", "-s", "-v", "-V", "-d", "-S", "-C", "-a", "-p", "-P", "-q", "-I"), page("rping").options());
        assertEquals(Set.of("-s", "-p"), page("rdma_client").options());
        assertTrue(page("rdma").words().containsAll(Set.of("dev", "link", "resource", "system", "statistic", "shared")));
        assertEquals(Set.of(), page("ibv_devices").options());
    }

    @Test
    void shouldWriteAPageForEachTool() throws IOException {
        ToolRun run = ToolRun.of("manual", "--man", directory.toString());

        assertEquals(new ToolRun(0, "man pages written to " + directory + "\n", ""), run);
        try (Stream<Path> files = Files.list(directory)) {
            assertEquals(Tools.all().stream().map(each -> (Tools.isOurs(each.name()) ? "softrdma-" : "") + each.name() + ".1")
                .collect(Collectors.toSet()), files.map(file -> file.getFileName().toString()).collect(Collectors.toSet()));
        }
        String text = Files.readString(directory.resolve("ibv_rc_pingpong.1"));
        assertTrue(text.contains("\\-p, \\-\\-port=<port>"), text);
        assertFalse(text.contains("unrecognized"), text);
    }

    @Test
    void shouldWritePagesThatManUnderstands() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/groff")), "needs groff");
        ToolRun.of("manual", "--man", directory.toString());

        for (Tools.Entry each : Tools.all()) {
            String file = directory.resolve((Tools.isOurs(each.name()) ? "softrdma-" : "") + each.name() + ".1").toString();
            assertEquals("", output("groff", "-man", "-Tutf8", "-ww", "-z", file), each.name());
        }
    }

    @ParameterizedTest
    @CsvSource({"softrdma ibv_dev, ibv_devices ibv_devinfo", "softrdma rdma sta, statistic", "./softrdma ibv_rc_pingpong --gi, --gid-idx",
        "ibv_ud_pingpong --i, --ib-dev --ib-port --iters", "bin/rping -C, -C", "softrdma --v, --version"})
    void shouldCompleteInBash(String typed, String expected) throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/bin/bash")), "needs bash");
        Path script = directory.resolve("completion");
        Files.writeString(script, ToolRun.of("manual", "--bash").out());
        String words = Stream.of(typed.split(" ")).map(word -> "'" + word + "'").collect(Collectors.joining(" "));

        assertEquals(expected + "\n", output("/bin/bash", "-c", "complete() { :; }; . '" + script + "'; COMP_WORDS=(" + words
            + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _softrdma; echo \"${COMPREPLY[@]}\""));
    }

    @Test
    void shouldSayHowItIsUsed() {
        assertEquals(0, ToolRun.of("manual", "--help").exitCode());
        assertEquals(1, ToolRun.of("manual").exitCode());
        assertEquals("softrdma manual: unrecognized option '--html'\n", ToolRun.of("manual", "--html").err());
    }

    private static String output(String... command) throws IOException {
        Process process = new ProcessBuilder(List.of(command)).redirectErrorStream(true).start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
