// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.host.config.LinkStore;
import org.softrdma.link.fault.LinkFaults;
import org.softrdma.rxe.config.RxeLinkType;

/** The library's log in the processes of tools: a device with link faults logs a line when it is opened. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ToolLogTest extends ToolProcesses {
    /** A tool that opens the device and ends at once. */
    private static final String TOOL = "ibv_rc_pingpong -d rxe0 --odp";
    private static final String LOGGED = "rxe0: opened with link faults: ";

    private String err = "";

    @BeforeEach
    void configure() {
        addLink("rxe0", "rxe");
        LinkStore.at(directory).set("rxe0", RxeLinkType.FAULT, LinkFaults.parse("drop=0.5"));
    }

    @Test
    void shouldLogALineInTheStyleOfTheTool() throws Exception {
        assertTrue(logged().matches("ibv_rc_pingpong: " + LOGGED + "[^ ]+"), this::all);
    }

    @Test
    void shouldAddTimeLevelAndSourceOnDemand() throws Exception {
        environment.put("SOFTRDMA_LOG", "debug");
        assertTrue(logged().matches("ibv_rc_pingpong: \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3} INFO "
            + "org\\.softrdma\\.rxe\\.RxeDevice: " + LOGGED + "[^ ]+"), this::all);
    }

    @Test
    void shouldLeaveOutWhatIsNotWanted() throws Exception {
        environment.put("SOFTRDMA_LOG", "warning");
        assertEquals("", logged(), this::all);
    }

    @Test
    void shouldNameTheLevels() throws Exception {
        environment.put("SOFTRDMA_LOG", "loud");
        logged();
        assertTrue(all().startsWith("ibv_rc_pingpong: SOFTRDMA_LOG is error, warning, info or debug, not 'loud'\n"), this::all);
    }

    /** A configuration of the user's own: the format is its own, and so is the level. */
    @Test
    void shouldLeaveTheUsersConfigurationAlone() throws Exception {
        Path file = directory.resolve("logging.properties");
        Files.writeString(file, """
            handlers = java.util.logging.ConsoleHandler
            java.util.logging.SimpleFormatter.format = mine %5$s%n
            """);
        jvmOptions.add("-Djava.util.logging.config.file=" + file);
        assertTrue(logged().startsWith("mine " + LOGGED), this::all);
    }

    private String all() {
        return err;
    }

    /** @return the line about the faults; empty if there is none */
    private String logged() throws Exception {
        err = start(TOOL).await().err();
        return err.lines().filter(line -> line.contains(LOGGED)).findFirst().orElse("");
    }
}
