// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import java.util.stream.Collectors;

/** Texts of {@code --help TOPIC}. */
final class Help {
    private static final int COLUMN = 40;

    private static final String MAIN = """
        Usage:
            qperf                               be a server
            qperf HOST [OPTION]... TEST...      measure with the server on HOST

        Measures bandwidth and latency of RDMA, TCP and UDP between two hosts. Options count for the tests that follow them.

            qperf --help examples               some command lines
            qperf --help options                all options
            qperf --help tests                  all tests
            qperf --help TEST                   one test
        """;

    private static final String EXAMPLES = """
        With `qperf` running on the host server:
            qperf server tcp_bw tcp_lat                         bandwidth and latency of TCP
            qperf server -cm1 rc_bw rc_lat                      the same over RDMA, connected by address
            qperf server -cm1 -t 10 -v rc_rdma_write_bw         for ten seconds, with more numbers
            qperf server -cm1 -vu -oo msg_size:1:64K:*2 rc_lat  message sizes from 1 to 64 KiB
            qperf server conf quit                              what both ends are; then the server ends

        On Ethernet the original measures with -cm1 only. Without it, and with the uc and ud tests, both ends must be softrdma's.
        """;

    private Help() {
    }

    /** @throws QPerfFailure there is no such topic */
    static String about(String topic) {
        return switch (topic) {
            case "main" -> MAIN;
            case "examples" -> EXAMPLES;
            case "opts", "options" -> Option.ALL.stream().map(Help::line).collect(Collectors.joining());
            case "tests" -> Tests.ALL.stream().map(Help::line).collect(Collectors.joining());
            case "categories" -> "categories\nexamples\nmain\noptions\nopts\ntests\n"
                + Tests.ALL.stream().map(test -> test.name() + "\n").collect(Collectors.joining());
            default -> test(topic);
        };
    }

    private static String test(String name) {
        int index = Tests.indexOf(name);
        if (index < 0) {
            throw new QPerfFailure("cannot find help category " + name + "; try: qperf --help categories");
        }
        return line(Tests.ALL.get(index));
    }

    private static String line(Tests.Entry test) {
        return line(test.name(), test.summary());
    }

    private static String line(Option option) {
        String names = String.join(", ", option.names()) + (option.value() == null ? "" : " " + option.value());
        return line(names, option.help());
    }

    private static String line(String left, String right) {
        String gap = " ".repeat(Math.max(2, COLUMN - left.length()));
        return "    " + left + gap + right + "\n";
    }
}
