// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Cases with an unmodified C program on our device in place of our own tool: the program of Debian 12 with its libraries, started with
 * {@code ./softrdma run}. The cases, checks of data and of every packet are those of our tools.
 */
final class CPrograms {
    /** Begins the names of groups of these cases. */
    static final String PREFIX = "C ";
    private static final String SOFTRDMA = "./softrdma";
    /** Our own commands, for which there is no C program here. */
    private static final Set<String> OURS_ONLY = Set.of("rdma", "run");
    private static final String ROLE = "-(client|server|requester|responder)-";
    /** Cases that are repeated with C programs: each program and service at least once, in each role. */
    private static final Pattern REPEATED = Pattern.compile("ibv_rc_pingpong-(defaults" + ROLE + ".*|(events|validate)" + ROLE + "IPv4)"
        + "|ibv_(uc|srq)_pingpong-defaults" + ROLE + "IPv4|ibv_ud_pingpong-(defaults" + ROLE + "IPv6|validate" + ROLE + "IPv4)"
        + "|perftest RC-(write_bw|send_lat|read_bw|atomic_bw|write_lat|write-4qp-both|send-events)" + ROLE + "IPv4"
        + "|perftest UC and UD-(uc-send_lat|ud-send_bw)" + ROLE + ".*|perftest -R-(write_bw|ud-send_bw)" + ROLE + ".*"
        + "|connections-((rping|ucmatose)" + ROLE + ".*|(rping-65000|rdma_client|udaddy|rstream|cmtime|mckey|refused)" + ROLE + "IPv4)");
    private static final Pattern REPEATED_OVER_IWARP =
        Pattern.compile("siw-((rping|ucmatose)" + ROLE + ".*|(rdma_client|rstream|rping-65000|refused)" + ROLE + "IPv4)");

    private CPrograms() {
    }

    /** Returns the cases over RoCE. */
    static List<InteropCase> overRoce() {
        Stream<InteropCase> repeated = Stream.of(PingPongCases.all(), PerftestCases.all(), ConnectionCases.all()).flatMap(List::stream)
            .filter(each -> REPEATED.matcher(each.id()).matches()).map(CPrograms::withCPrograms);
        return Stream.concat(repeated, ApplicationCases.all().stream()).toList();
    }

    /** Returns the cases over iWARP. */
    static List<InteropCase> overIwarp() {
        return SiwCases.all().stream().filter(each -> REPEATED_OVER_IWARP.matcher(each.id()).matches()).map(CPrograms::withCPrograms)
            .toList();
    }

    private static InteropCase withCPrograms(InteropCase ours) {
        return new InteropCase(PREFIX + ours.group(), ours.name(), ours.sentence(), ours.role(), ours.ip(), ours.requests(),
            ours.responses(), ours.faulty(), run -> {
                run.useCPrograms();
                ours.body().run(run);
            });
    }

    /** Ends the daemon on the host's side of a lab. */
    static void stopDaemon(KernelLab lab) {
        lab.tool(lab.directory().resolve("daemon-stop.txt"), SOFTRDMA, "daemon", "stop").awaitExit(Ends.DEADLINE);
    }

    /**
     * Returns the command line of the C program that a command line of our tools stands for.
     *
     * @param command as a case starts it
     * @return the same if it is none of the tools that exist in C
     */
    static String[] inPlaceOf(String[] command) {
        if (!command[0].equals(SOFTRDMA) || OURS_ONLY.contains(command[1])) {
            return command;
        }
        List<String> line = new ArrayList<>(List.of(SOFTRDMA, "run", "--", "stdbuf", "-oL"));
        line.addAll(List.of(command).subList(1, command.length));
        return line.toArray(String[]::new);
    }
}
