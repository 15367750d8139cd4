// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;
import org.softrdma.tools.cli.GetoptLong;

/**
 * Table of all options, from which the command line is read and the usage text is printed. Every test reads every option; inapplicable ones
 * are refused with a reason and missing from its usage text.
 */
enum PerfOption {
    ALL('a', "all", null, "Run sizes from 2 till 2^23", (verb, latency) -> verb != Verb.ATOMIC),
    ATOMIC_TYPE('A', "atomic_type", "type", "Atomic operation, CMP_AND_SWAP or FETCH_AND_ADD (default FETCH_AND_ADD)",
        (verb, latency) -> verb == Verb.ATOMIC),
    BIDIRECTIONAL('b', "bidirectional", null, "Measure both directions at once (default one)", (verb, latency) -> !latency),
    CONNECTION('c', "connection", "RC/UC/UD", "Connection type (default RC); UC not with READ and atomics, UD with SEND only"),
    DEVICE('d', "ib-dev", "dev", "Use IB device <dev> (default first device found)"),
    DURATION('D', "duration", "seconds", "Run for so many seconds instead of a number of messages"),
    EVENTS('e', "events", null, "Sleep on CQ events (default poll)", (verb, latency) -> verb != Verb.WRITE),
    VECTOR('X', "vector", "vector", "Completion vector used for events", (verb, latency) -> verb != Verb.WRITE),
    MARGIN('f', "margin", "seconds", "Leave out so many seconds at both ends of the duration (default a quarter of it)"),
    CPU_FREQ('F', "CPU-freq", null, "Accepted: nothing here depends on the processor's clock rate"),
    HELP('h', "help", null, "Show this help screen"),
    HISTOGRAM('H', "report-histogrm", null, "Print all results, sorted", (verb, latency) -> latency),
    IB_PORT('i', "ib-port", "port", "Use port <port> of the device (default 1)"),
    INLINE('I', "inline_size", "size", "Send messages up to this size inline (default 0)", (verb, latency) -> !verb.fetches()),
    POST_LIST('l', "post_list", "list size", "Post so many work requests at once (default 1)", (verb, latency) -> !latency),
    MTU('m', "mtu", "mtu", "Path MTU: 256 - 4096 (default port mtu)"),
    ITERATIONS('n', "iters", "iters", "Number of exchanges (at least 5, default 1000; 5000 for ib_write_bw)"),
    NO_PEAK('N', "noPeak", null, "No peak bandwidth (default: up to 20000 iterations)", (verb, latency) -> !latency),
    OUTS('o', "outs", "num", "Outstanding READs or atomics (default max of device)", (verb, latency) -> verb.fetches()),
    PORT('p', "port", "port", "Listen on/connect to port <port> (default 18515)"),
    QUEUE_PAIRS('q', "qp", "num of qp's", "Number of queue pairs (default 1)", (verb, latency) -> !latency),
    CQ_MODERATION('Q', "cq-mod", "num", "Ask for every so-manieth completion only (default 100; 1 for messages above 8192 bytes)",
        (verb, latency) -> !latency),
    RX_DEPTH('r', "rx-depth", "dep", "Receive queue size (default 512; UC and UD as many as messages, up to 16000)",
        (verb, latency) -> verb == Verb.SEND),
    RDMA_CM('R', "rdma_cm", null, "Connect queue pairs with rdma_cm and talk to the peer over it"),
    SIZE('s', "size", "size", "Size of message; K and M may follow (default 65536, latency 2)", (verb, latency) -> verb != Verb.ATOMIC),
    SERVICE_LEVEL('S', "sl", "sl", "Service level (default 0)"),
    TX_DEPTH('t', "tx-depth", "dep", "Send queue size (default 128)", (verb, latency) -> !latency),
    TOS('T', "tos", "tos value", "Type of service 0-255 of rdma_cm's queue pairs, only with -R"),
    QP_TIMEOUT('u', "qp-timeout", "timeout", "Local ACK timeout, 4.096 usec * 2^<timeout> (default 14)"),
    UNSORTED('U', "report-unsorted", null, "Print all results, as they came", (verb, latency) -> latency),
    VERSION('V', "version", null, "Display version number"),
    LIMIT_BW('w', "limit_bw", "value", "Fail if the average bandwidth is below", (verb, latency) -> !latency),
    GID_INDEX('x', "gid-index", "index", "GID index (default: the first IPv4 address)"),
    LIMIT_RATE('y', "limit_msgrate", "value", "Fail if the rate is below, million messages a second", (verb, latency) -> !latency),
    COMM_RDMA_CM('z', "comm_rdma_cm", null, "Talk to the peer over rdma_cm, with regular queue pairs"),
    DISABLE_PCIE_RELAXED("disable_pcie_relaxed", null, "Accepted: there is no PCIe here"),
    IPV6("ipv6", null, "Use an IPv6 GID (default IPv4)"),
    JSON("json", null, "Print nothing but the results, as JSON, a line each (of softrdma)"),
    LATENCY_GAP("latency_gap", "usec", "Delay between messages", (verb, latency) -> latency),
    OUT_JSON("out_json", null, "Write the last result to a JSON file, too"),
    OUT_JSON_FILE("out_json_file", "file", "Its name (default perftest_out.json)"),
    OUTPUT("output", "units", "Print one number only: bandwidth, message_rate or latency"),
    PKEY_INDEX("pkey_index", "index", "P_Key index of the queue pairs (default 0)"),
    REPORT_BOTH("report-both", null, "With -b, report both directions separately, too", (verb, latency) -> !latency),
    REPORT_GBITS("report_gbits", null, "Report Gbit/sec, 10^9 bits (default MiB/sec, 2^20 bytes)", (verb, latency) -> !latency),
    RETRY_COUNT("retry_count", "value", "Retries, in rdma_cm mode (default 7)"),
    REVERSED("reversed", null, "The server sends to the client", (verb, latency) -> !latency),
    SOURCE_IP("source_ip", "address", "Own address, for talking to the peer"),
    TCLASS("tclass", "value", "Traffic class"),
    USE_OLD_POST_SEND("use_old_post_send", null, "Accepted: there is one way to post"),
    USE_SRQ("use-srq", null, "Receive from a shared receive queue", (verb, latency) -> verb == Verb.SEND),
    WARM_UP("perform_warm_up", null, "Fill the send queue once before measuring", (verb, latency) -> !latency && verb != Verb.SEND);

    /** First code of long options without a letter, outside the range of characters that users can type. */
    private static final char FIRST_UNTYPEABLE = '\ue000';

    private final char typed;
    private final String word;
    private final String argument;
    private final String help;
    private final BiPredicate<Verb, Boolean> meaningful;

    PerfOption(char typed, String word, String argument, String help, BiPredicate<Verb, Boolean> meaningful) {
        this.typed = typed;
        this.word = word;
        this.argument = argument;
        this.help = help;
        this.meaningful = meaningful;
    }

    PerfOption(char typed, String word, String argument, String help) {
        this(typed, word, argument, help, (verb, latency) -> true);
    }

    PerfOption(String word, String argument, String help, BiPredicate<Verb, Boolean> meaningful) {
        this((char) 0, word, argument, help, meaningful);
    }

    PerfOption(String word, String argument, String help) {
        this((char) 0, word, argument, help);
    }

    /** Code that the reader of the command line returns for it. */
    char letter() {
        return typed == 0 ? (char) (FIRST_UNTYPEABLE + ordinal()) : typed;
    }

    /** The option with that letter, or null. */
    static PerfOption of(int letter) {
        for (PerfOption each : values()) {
            if (each.letter() == letter) {
                return each;
            }
        }
        return null;
    }

    /** Letters as {@link GetoptLong} takes them. */
    static String letters() {
        StringBuilder letters = new StringBuilder();
        for (PerfOption each : values()) {
            if (each.typed != 0) {
                letters.append(each.typed).append(each.argument == null ? "" : ":");
            }
        }
        return letters.toString();
    }

    static List<GetoptLong.Long> words() {
        List<GetoptLong.Long> words = new ArrayList<>();
        for (PerfOption each : values()) {
            words.add(new GetoptLong.Long(each.word, each.argument != null, each.letter()));
        }
        return words;
    }

    /** The usage text of a test. */
    static String usage(String name, Verb verb, boolean latency) {
        StringBuilder text = new StringBuilder("Usage:\n"
            + "  " + name + "            start a server and wait for connection\n"
            + "  " + name + " <host>     connect to server at <host>\n\nOptions:\n");
        for (PerfOption each : values()) {
            if (each.meaningful.test(verb, latency)) {
                text.append(each.typed == 0 ? "      " : "  -" + each.typed + ", ").append("--").append(each.word)
                    .append(each.argument == null ? "" : "=<" + each.argument + ">").append("  ").append(each.help).append('\n');
            }
        }
        return text.append('\n').toString();
    }
}
