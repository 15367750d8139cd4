// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.tools.ToolRun;

/** Expected texts are those of glibc, from runs of ibv_rc_pingpong of ibverbs-utils 44. */
class GetoptLongTest {
    private static final List<GetoptLong.Long> LONG = List.of(
        new GetoptLong.Long("size", true, 's'), new GetoptLong.Long("sl", true, 'l'), new GetoptLong.Long("events", false, 'e'),
        new GetoptLong.Long("chk", false, 'c'), new GetoptLong.Long("check", false, 'k'));
    private static final String SHORT = "s:l:ec";

    private final List<String> seen = new ArrayList<>();

    @Test
    void shouldTakeArgumentsInEveryForm() {
        read(SHORT, "-s1", "-s", "2", "--size=3", "--size", "4", "--si=5", "--size=", "-s", "-e");

        assertEquals(List.of("s=1", "s=2", "s=3", "s=4", "s=5", "s=", "s=-e", "operands []"), seen);
    }

    @Test
    void shouldTakeSeveralLettersInOneWord() {
        read(SHORT, "-ecs7", "-cs", "8");

        assertEquals(List.of("e", "c", "s=7", "c", "s=8", "operands []"), seen);
    }

    @Test
    void shouldTakeOptionsAfterOperandsUntilTwoDashes() {
        read(SHORT, "host", "-e", "-", "--", "-c", "--size");

        assertEquals(List.of("e", "operands [host, -, -c, --size]"), seen);
    }

    /** Rule of getopt(3) for a plus sign in front of the options. */
    @Test
    void shouldEndTheOptionsAtTheFirstOperandAfterAPlus() {
        read("+" + SHORT, "-e", "host", "-c", "--", "-Z");

        assertEquals(List.of("e", "operands [host, -c, --, -Z]"), seen);
    }

    @Test
    void shouldPreferAnExactNameOverLongerOnes() {
        read(SHORT, "--chk", "--check");

        assertEquals(List.of("c", "k", "operands []"), seen);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "-Z             | p: invalid option -- 'Z'",
        "-:             | p: invalid option -- ':'",
        "-s             | p: option requires an argument -- 's'",
        "--size         | p: option '--size' requires an argument",
        "--foo=1        | p: unrecognized option '--foo=1'",
        "--s=5          | p: option '--s=5' is ambiguous; possibilities: '--size' '--sl'",
        "--events=3     | p: option '--events' doesn't allow an argument",
        "--event=3      | p: option '--events' doesn't allow an argument"})
    void shouldSayWhatIsWrongInTheWordsOfTheCLibrary(String word, String message) {
        ToolRun run = read(SHORT, word);

        assertEquals(message + "\n", run.err());
        assertEquals(List.of("?", "operands []"), seen);
    }

    /** Programs that call getopt, not getopt_long. Expected text: rdma_client of rdmacm-utils 44. */
    @ParameterizedTest
    @CsvSource({"--help", "--size=1", "-e--"})
    void shouldTakeTwoDashesForALetterWithoutLongNames(String word) {
        ToolRun run = ToolRun.of(console -> {
            GetoptLong options = new GetoptLong("p", SHORT, List.of(), List.of(word), console);
            int option = options.next();
            while (option != GetoptLong.END && option != GetoptLong.BAD) {
                option = options.next();
            }
            return option;
        });

        assertEquals(new ToolRun(GetoptLong.BAD, "", "p: invalid option -- '-'\n"), run);
    }

    @Test
    void shouldEndTheOptionsAtTwoDashesWithoutLongNames() {
        List<String> operands = new ArrayList<>();
        ToolRun run = ToolRun.of(console -> {
            GetoptLong options = new GetoptLong("p", SHORT, List.of(), List.of("-e", "--", "-c"), console);
            int letters = 0;
            while (options.next() != GetoptLong.END) {
                letters++;
            }
            operands.addAll(options.operands());
            return letters;
        });

        assertEquals(new ToolRun(1, "", ""), run);
        assertEquals(List.of("-c"), operands);
    }

    @Test
    void shouldLeaveMessagesToTheCallerAfterAColon() {
        ToolRun run = read(":" + SHORT, "-Z", "-s");

        assertEquals("", run.err());
        assertEquals(List.of("?", ":", "operands []"), seen);
    }

    private ToolRun read(String shortOptions, String... words) {
        return ToolRun.of(console -> {
            GetoptLong options = new GetoptLong("p", shortOptions, LONG, List.of(words), console);
            for (int option = options.next(); option != GetoptLong.END; option = options.next()) {
                seen.add((char) option + (options.argument() == null ? "" : "=" + options.argument()));
            }
            seen.add("operands " + options.operands());
            return 0;
        });
    }
}
