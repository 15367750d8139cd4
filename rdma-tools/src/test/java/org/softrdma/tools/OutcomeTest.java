// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Exit codes and messages of processes whose options or surroundings are wrong. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class OutcomeTest extends ToolProcesses {
    /** A device whose writers are told that the disk is full. */
    private static final Path FULL = Path.of("/dev/full");

    @BeforeEach
    void configure() {
        addLink("rxe0", "rxe");
        addLink("siw0", "siw");
    }

    /** Expected words: those of GNU cat, and of every program that uses gnulib's close_stdout. */
    @ParameterizedTest
    @ValueSource(strings = {"rdma link", "rdma -j dev", "ibv_devices", "ibv_devinfo", "ibstat", "ibstatus", "show_gids", "--help",
        "ibv_rc_pingpong -Z", "rping -Z", "mckey -Z", "qperf --help", "manual --help"})
    void shouldFailIfItsOutputCannotBeWritten(String line) throws Exception {
        assumeTrue(Files.exists(FULL) && !Files.isRegularFile(FULL), "this system has no /dev/full");
        Ended ended = startWritingTo(FULL, line).await();

        assertFalse(ended.exitCode() == 0, ended.toString());
        String name = line.startsWith("-") ? "softrdma" : line.substring(0, line.indexOf(' ') < 0 ? line.length() : line.indexOf(' '));
        assertTrue(ended.err().endsWith(name + ": write error: No space left on device\n"), ended.toString());
    }

    @ParameterizedTest
    @CsvSource({
        "ibv_rc_pingpong, can't read sgid of index 77", "ibv_uc_pingpong, can't read sgid of index 77",
        "ibv_ud_pingpong, Could not get local gid for gid index 77", "ibv_srq_pingpong, Could not get local gid for gid index 77"})
    void shouldEndWithoutAGidAtTheIndex(String tool, String words) throws Exception {
        Ended ended = start(tool + " -d rxe0 -g 77").await();

        assertEquals(new Ended(1, "", words + "\nthere is no GID at that index; `show_gids` lists those that there are\n"), ended);
    }

    /** A value of the property that does not exist is a user's mistake. */
    @ParameterizedTest
    @ValueSource(strings = {
        "ibv_rc_pingpong -d rxe0 -g 1", "rping -s -a 127.0.0.1 -p 20", "ib_write_bw -d rxe0", "ibv_rc_pingpong -d siw0"})
    void shouldNameTheLinksThatThereAre(String line) throws Exception {
        jvmOptions.add("-Dsoftrdma.link=foo");
        Ended ended = start(line).await();

        assertTrue(ended.exitCode() > 0 && ended.exitCode() != 70, ended.toString());
        assertTrue(ended.err().contains("the system property softrdma.link is nio, linux or not set; it is \"foo\""), ended.toString());
        assertFalse(ended.err().contains("bug"), ended.toString());
    }
}
