// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.softrdma.tools.qperf.Parameters.Side;

/**
 * An option: one long and one short name, both spelled out in full on the command line.
 *
 * @param names     with their dashes, the long one first; a switch that sets a parameter to 1 has a short one only
 * @param kind      what it does
 * @param parameter what it sets; null of those that set none
 * @param sides     whose parameter it sets
 * @param value     what the help calls its argument; null without
 * @param help      one line
 */
record Option(List<String> names, Kind kind, Parameter parameter, List<Side> sides, String value, String help) {
    /** Effect of an option. */
    enum Kind {
        NUMBER, SIZE, SECONDS, SERVICE_LEVEL, TEXT, SWITCH, DEBUG, HELP, HOST, LISTEN_PORT, LOOP, PRECISION, UNIFY_NODES, UNIFY_UNITS,
        BITS, VERBOSE, VERSION, WAIT
    }

    /** Every option, in the order of the help. */
    static final List<Option> ALL = all();

    private static final Map<String, Option> BY_NAME = new LinkedHashMap<>();
    /** Names of earlier releases, and what took their place. */
    private static final Map<String, String> RENAMED = new LinkedHashMap<>();

    static {
        ALL.forEach(option -> option.names.forEach(name -> BY_NAME.put(name, option)));
        String renamed = """
            --affinity --cpu_affinity -a -ca --loc_affinity --loc_cpu_affinity -la -lca --rem_affinity --rem_cpu_affinity -ra -rca
            --rate --static_rate -r -sr --loc_rate --loc_static_rate -lr -lsr --rem_rate --rem_static_rate -rr -rsr
            --port --ip_port -p -ip --poll --cq_poll -P -cp --loc_poll --loc_cq_poll -lP -lcp --rem_poll --rem_cq_poll -rP -rcp
            -R -nr -lR -lnr -rR -rnr -T -to -lT -lto -rT -rto -S -sb -lS -lsb -rS -rsb --wait --wait_server -W -ws
            -vC -vvc -vS -vvs -vT -vvt -vU -vvu -aro -ar1 -cmo -cm1 -fo -f1 -cpo -cp1 -lcpo -lcp1 -rcpo -rcp1 -Ar -ar -M -mt -u -uu
            """;
        String[] words = renamed.strip().split("\\s+");
        for (int i = 0; i < words.length; i += 2) {
            RENAMED.put(words[i], words[i + 1]);
        }
    }

    /** The option of that name, with its dashes, or null. */
    static Option find(String name) {
        return BY_NAME.get(name);
    }

    /** The option that a loop over {@code variable} sets, by any of its names without the dashes, or null. */
    static Option ofVariable(String variable) {
        Option option = find("--" + variable);
        return option != null ? option : find("-" + variable);
    }

    /** Current name of an option that was renamed; null if the name is not a former one. */
    static String renamed(String name) {
        return RENAMED.get(name);
    }

    /** Whether a server accepts it, too. */
    boolean isForServers() {
        return kind == Kind.DEBUG || kind == Kind.LISTEN_PORT || names.contains("--loc_timeout");
    }

    // ---- the table ----

    private static List<Option> all() {
        List<Option> all = new ArrayList<>();
        both(all, "access_recv", "ar", Kind.NUMBER, Parameter.ACCESS_RECV, "ONOFF", "read received data, as programs do");
        switchOn(all, "ar1", Parameter.ACCESS_RECV, Parameters.BOTH);
        each(all, "alt_port", "ap", Kind.NUMBER, Parameter.ALT_PORT, "PORT", "port of the alternate path; no use on Ethernet");
        each(all, "cpu_affinity", "ca", Kind.NUMBER, Parameter.AFFINITY, "N", "run on the Nth processor only, from 1; 0: on any");
        plain(all, Kind.DEBUG, "debug", "D", null, "say what happens, and show every number");
        both(all, "flip", "f", Kind.NUMBER, Parameter.FLIP, "ONOFF", "exchange sender and receiver; no test does");
        switchOn(all, "f1", Parameter.FLIP, Parameters.BOTH);
        plain(all, Kind.HELP, "help", "h", "TOPIC", "explain; `--help categories` lists the topics");
        plain(all, Kind.HOST, "host", "H", "HOST", "where the server is; else the first word that is no option");
        each(all, "id", "i", Kind.TEXT, Parameter.ID, "DEVICE[:PORT]", "RDMA device and its port; not with -cm1");
        plain(all, Kind.LISTEN_PORT, "listen_port", "lp", "PORT", "TCP port the server listens on, 19765; the same at both ends");
        plain(all, Kind.LOOP, "loop", "oo", "VAR:INIT:LAST:INCR", "repeat the tests that follow; *INCR multiplies");
        both(all, "msg_size", "m", Kind.SIZE, Parameter.MSG_SIZE, "SIZE", "bytes of a message");
        both(all, "mtu_size", "mt", Kind.SIZE, Parameter.MTU_SIZE, "SIZE", "path MTU, 256 to 4K, 2K; not with -cm1");
        both(all, "no_msgs", "n", Kind.NUMBER, Parameter.NO_MSGS, "N", "end after so many messages instead of a time");
        each(all, "cq_poll", "cp", Kind.NUMBER, Parameter.POLL_MODE, "ONOFF", "poll for completions instead of waiting for events");
        switchOn(all, "cp1", Parameter.POLL_MODE, Parameters.BOTH);
        switchOn(all, "lcp1", Parameter.POLL_MODE, List.of(Side.LOCAL));
        switchOn(all, "rcp1", Parameter.POLL_MODE, List.of(Side.REMOTE));
        both(all, "ip_port", "ip", Kind.NUMBER, Parameter.PORT, "PORT", "port of the TCP and UDP tests' data");
        plain(all, Kind.PRECISION, "precision", "e", "DIGITS", "digits shown, 3");
        each(all, "rd_atomic", "nr", Kind.NUMBER, Parameter.RD_ATOMIC, "N", "READs and atomics under way; not with -cm1, which has 1");
        each(all, "service_level", "sl", Kind.SERVICE_LEVEL, Parameter.SERVICE_LEVEL, "SL", "0 to 15; not with -cm1");
        each(all, "sock_buf_size", "sb", Kind.SIZE, Parameter.SOCK_BUF_SIZE, "SIZE", "socket buffers of the TCP and UDP tests");
        each(all, "src_path_bits", "sp", Kind.SIZE, Parameter.SRC_PATH_BITS, "N", "low bits of the LID; no use on Ethernet");
        each(all, "static_rate", "sr", Kind.TEXT, Parameter.STATIC_RATE, "RATE", "static rate; no use on Ethernet");
        both(all, "time", "t", Kind.SECONDS, Parameter.TIME, "TIME", "how long a test takes, 2; s, m, h or d may follow");
        each(all, "timeout", "to", Kind.SECONDS, Parameter.TIMEOUT, "TIME", "how long an end waits for the other, 5");
        plain(all, Kind.UNIFY_NODES, "unify_nodes", "un", null, "show local and remote instead of sender and receiver");
        plain(all, Kind.UNIFY_UNITS, "unify_units", "uu", null, "show everything in the smallest unit, for scripts");
        plain(all, Kind.BITS, "use_bits_per_sec", "ub", null, "bits instead of bytes per second");
        both(all, "use_cm", "cm", Kind.NUMBER, Parameter.USE_CM, "ONOFF", "connect by address, with the connection manager; RC only");
        switchOn(all, "cm1", Parameter.USE_CM, Parameters.BOTH);
        plain(all, Kind.VERBOSE, "verbose", "v", null, "all of -vc, -vs, -vt and -vu");
        plain(all, Kind.VERBOSE, "verbose_conf", "vc", null, "show configuration");
        plain(all, Kind.VERBOSE, "verbose_stat", "vs", null, "show message rates");
        plain(all, Kind.VERBOSE, "verbose_time", "vt", null, "show times and what they cost");
        plain(all, Kind.VERBOSE, "verbose_used", "vu", null, "show the parameters that were set");
        plain(all, Kind.VERBOSE, "verbose_more", "vv", null, "all of -vvc, -vvs, -vvt and -vvu");
        plain(all, Kind.VERBOSE, "verbose_more_conf", "vvc", null, "show all configuration");
        plain(all, Kind.VERBOSE, "verbose_more_stat", "vvs", null, "show all counts");
        plain(all, Kind.VERBOSE, "verbose_more_time", "vvt", null, "show all times");
        plain(all, Kind.VERBOSE, "verbose_more_used", "vvu", null, "show all parameters a test looks at");
        plain(all, Kind.VERSION, "version", "V", null, "show the version");
        plain(all, Kind.WAIT, "wait_server", "ws", "TIME", "how long to try to reach the server, 5");
        return List.copyOf(all);
    }

    private static void plain(List<Option> all, Kind kind, String name, String letters, String value, String help) {
        all.add(new Option(List.of("--" + name, "-" + letters), kind, null, List.of(), value, help));
    }

    /** One option for both ends. */
    private static void both(List<Option> all, String name, String letters, Kind kind, Parameter parameter, String value, String help) {
        all.add(new Option(List.of("--" + name, "-" + letters), kind, parameter, Parameters.BOTH, value, help));
    }

    /** One for both ends, and one for each. */
    private static void each(List<Option> all, String name, String letters, Kind kind, Parameter parameter, String value, String help) {
        both(all, name, letters, kind, parameter, value, help);
        all.add(new Option(List.of("--loc_" + name, "-l" + letters), kind, parameter, List.of(Side.LOCAL), value, "here"));
        all.add(new Option(List.of("--rem_" + name, "-r" + letters), kind, parameter, List.of(Side.REMOTE), value, "at the server"));
    }

    private static void switchOn(List<Option> all, String letters, Parameter parameter, List<Side> sides) {
        all.add(new Option(List.of("-" + letters), Kind.SWITCH, parameter, sides, null, "the same, on"));
    }
}
