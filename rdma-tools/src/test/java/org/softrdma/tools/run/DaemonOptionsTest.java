// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.tools.ToolRun;
import org.softrdma.tools.cli.Tool;

/** Options of {@code softrdma daemon} and {@code softrdma run} that are wrong: one line that says why, and the usage. */
class DaemonOptionsTest {
    private static ToolRun run(String command) {
        List<String> words = List.of(command.split(" "));
        Tool tool = words.getFirst().equals("run") ? new Run() : new Daemon();
        return ToolRun.of(console -> tool.run(words.getFirst(), words.subList(1, words.size()), console));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "daemon|1|softrdma daemon: start, stop, status, log or serve?",
        "daemon halt|1|softrdma daemon: unknown command 'halt'",
        "daemon stop status|1|softrdma daemon: one command, not stop status",
        "daemon --idle=soon start|1|softrdma daemon: --idle is soon; a number of seconds, at least 0, is needed",
        "daemon start --idle -1|1|softrdma daemon: --idle is -1; a number of seconds, at least 0, is needed",
        "daemon start --idle|1|softrdma daemon: option '--idle' requires an argument",
        "daemon --verbose status|1|softrdma daemon: unrecognized option '--verbose'",
        "run|125|Usage: softrdma run [-h] [--private] [--idle=SECONDS] [COMMAND...]",
        "run --idle=soon true|125|softrdma run: --idle is soon; a number of seconds, at least 0, is needed",
        "run --idle=-5 true|125|softrdma run: --idle is -5; a number of seconds, at least 0, is needed"})
    void shouldRefuseWrongOptions(String command, int exitCode, String first) {
        ToolRun run = run(command);
        assertEquals(exitCode, run.exitCode());
        assertEquals("", run.out());
        assertEquals(first, run.err().lines().findFirst().orElseThrow());
        assertTrue(run.err().contains("Usage: softrdma " + command.split(" ")[0] + " [-h]"), run.err());
    }

    @Test
    void shouldShowTheUsage() {
        ToolRun run = run("daemon -h");
        assertEquals(0, run.exitCode());
        assertEquals("", run.err());
        assertTrue(run.out().contains("status   show it and its programs; exit status 3"), run.out());
        assertEquals(run, run("daemon --help"));
    }
}
