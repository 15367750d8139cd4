// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.softrdma.tools.cli.CNumber;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.GetoptLong;
import org.softrdma.tools.cli.ToolFailure;

/** Reads a command line; errors are in the original's words. */
final class CommandLine {
    /** Version of the original, shown to users and sent to the peer. */
    static final String VERSION = "6.06";
    static final String LINE = "-".repeat(87);
    static final int DEFAULT_RX_DEPTH = 512;

    /** End of every error about a single option. */
    private static final String PARSER_FAILED = "\n Parser function exited with Error";
    private static final Pattern C_INTEGER = Pattern.compile("\\s*[+-]?(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)");
    /** Size above which each message has a completion: an average over several would be too late. */
    private static final int LARGE_MESSAGE = 8192;
    private static final int MOST_RECEIVES_UNRELIABLE = 16000;
    private static final int MOST_ITERATIONS_WITH_PEAK = 20000;
    private static final int MOST_INLINE_UD = 884;
    /** Options of the original that are missing here. */
    private static final Set<String> WORDS_NOT_HERE = Set.of("report-cycles", "hop_limit", "mcg", "MGID", "dualport", "report-counters",
        "report-per-port", "run_infinitely", "cpu_util", "dlid", "dont_xchg_versions", "force-link", "inline_recv", "mmap", "mmap-offset",
        "mr_per_qp", "odp", "use_hugepages", "wait_destroy", "recv_post_list", "burst_size", "typical_pkt_size", "rate_limit",
        "rate_units", "rate_limit_type", "flow_label", "use_ooo", "aes_xts", "log_dci_streams");
    private static final String LETTERS_NOT_HERE = "COgMLW";

    private final Parameters parameters;
    private final Console console;
    private boolean reversed;

    private CommandLine(Parameters parameters, Console console) {
        this.parameters = parameters;
        this.console = console;
    }

    /**
     * @return null if the command line asked for help or the version, which has been printed
     * @throws ToolFailure in the original's words
     */
    static Parameters parse(Verb verb, boolean latency, String name, List<String> arguments, Console console) {
        CommandLine line = new CommandLine(new Parameters(verb, latency), console);
        if (arguments.stream().anyMatch(CommandLine::isWordNotHere)) {
            throw notHere(name);
        }
        GetoptLong reader = new GetoptLong(name, PerfOption.letters() + LETTERS_NOT_HERE, PerfOption.words(), arguments, console);
        for (int letter = reader.next(); letter != GetoptLong.END; letter = reader.next()) {
            PerfOption option = PerfOption.of(letter);
            if (option == null) {
                line.refuse(name, letter);
            } else if (option == PerfOption.HELP) {
                console.print(PerfOption.usage(name, verb, latency));
                return null;
            } else if (option == PerfOption.VERSION) {
                console.println("Version: " + VERSION);
                return null;
            } else {
                line.take(option, reader.argument());
            }
        }
        if (reader.operands().size() > 1) {
            throw wrong(" Invalid Command line. Please check command rerun ");
        }
        line.parameters.server = reader.operands().isEmpty() ? null : reader.operands().getFirst();
        line.parameters.sends = line.parameters.isServer() == line.reversed;
        line.settle();
        return line.parameters;
    }

    private static boolean isWordNotHere(String argument) {
        return argument.startsWith("--") && WORDS_NOT_HERE.contains(argument.substring(2).replaceFirst("=.*", ""));
    }

    private static ToolFailure notHere(String name) {
        return wrong(" An option of the original that softrdma does not have.\n `" + name + " --help` lists those it has.");
    }

    private void refuse(String name, int letter) {
        if (LETTERS_NOT_HERE.indexOf(letter) >= 0) {
            throw notHere(name);
        }
        console.print(PerfOption.usage(name, parameters.verb, parameters.latency));
        throw wrong(" Invalid Command or flag.\n Please check command line and run again.\n");
    }

    private static ToolFailure wrong(String message) {
        return new ToolFailure(message + PARSER_FAILED);
    }

    // ---- one option ----

    private void take(PerfOption option, String argument) {
        switch (option) {
            case PORT -> parameters.port = between("Port", argument, 0, 65535);
            case SOURCE_IP -> parameters.sourceIp = argument;
            case RDMA_CM -> parameters.cmQueuePairs = true;
            case COMM_RDMA_CM -> parameters.cmControl = true;
            case TOS -> parameters.tos = between("TOS", argument, 0, 255);
            case RETRY_COUNT -> parameters.retryCount = notNegative("Retry Count", argument);
            case DEVICE -> parameters.device = argument;
            case IB_PORT -> ibPort(argument);
            case GID_INDEX -> parameters.gidIndex = between("Gid index", argument, 0, 64);
            case IPV6 -> parameters.ipv6 = true;
            case PKEY_INDEX -> parameters.pkeyIndex = integer("Pkey index", argument);
            case SERVICE_LEVEL -> serviceLevel(argument);
            case TCLASS -> parameters.trafficClass = integer("traffic class", argument) & 0xff;
            case QP_TIMEOUT -> parameters.qpTimeout = integer("QP Timeout", argument) & 0xff;
            case MTU -> parameters.mtuBytes = integer("MTU", argument);
            case REVERSED -> reversed = true;
            case CPU_FREQ, USE_OLD_POST_SEND, DISABLE_PCIE_RELAXED -> {
                // there is only one choice
            }
            default -> {
                if (!takeTraffic(option, argument)) {
                    takeReport(option, argument);
                }
            }
        }
    }

    private boolean takeTraffic(PerfOption option, String argument) {
        switch (option) {
            case CONNECTION -> parameters.connection = ConnectionType.of(argument, parameters.verb);
            case QUEUE_PAIRS -> {
                only(!parameters.latency, " Multiple QPs only available on bw tests");
                parameters.queuePairs = between("num of Qps", argument, 1, 16384);
            }
            case USE_SRQ -> parameters.sharedReceives = true;
            case TX_DEPTH -> parameters.txDepth = between("Tx depth", argument, 1, 15000);
            case RX_DEPTH -> {
                parameters.rxDepth = between(" Rx depth", argument, 1, 16384);
                only(parameters.verb == Verb.SEND || parameters.rxDepth == 1, " On RDMA verbs rx depth can be only 1");
            }
            case INLINE -> {
                parameters.inlineSize = between("Max inline", argument, 0, 912);
                only(!parameters.verb.fetches(), " Inline feature not available on READ/Atomic verbs");
            }
            case OUTS -> {
                parameters.outstandingReads = integer("Outstanding Reads", argument);
                only(parameters.verb.fetches(), " Setting Outstanding reads only available on READ verb");
            }
            case ATOMIC_TYPE -> atomicType(argument);
            case SIZE -> size(argument);
            case ALL -> parameters.allSizes = true;
            case ITERATIONS -> parameters.iterations = between("Iteration num", argument, 5, 100_000_000);
            case DURATION -> {
                parameters.duration = integer("Duration period", argument);
                only(parameters.duration > 0, " Duration period must be positive");
                parameters.timed = true;
            }
            case MARGIN -> parameters.margin = notNegative("Margin", argument);
            case BIDIRECTIONAL -> {
                only(!parameters.latency, " Bidirectional is only available in BW test");
                parameters.duplex = true;
            }
            case POST_LIST -> parameters.postList = integer("Send Post List size", argument);
            case CQ_MODERATION -> {
                parameters.cqModeration = between("CQ moderation", argument, 1, 1024);
                parameters.cqModerationAsked = true;
            }
            case EVENTS -> {
                only(parameters.verb != Verb.WRITE, " Events feature not available on WRITE verb");
                parameters.events = true;
            }
            case VECTOR -> {
                only(parameters.verb != Verb.WRITE, " Events feature not available on WRITE verb");
                parameters.vector = between("EQN", argument, 0, 2048);
                parameters.vectorAsked = true;
            }
            case WARM_UP -> parameters.warmUp = true;
            case LATENCY_GAP -> parameters.latencyGapUs = notNegative("Latency gap time", argument);
            default -> {
                return false;
            }
        }
        return true;
    }

    private void takeReport(PerfOption option, String argument) {
        switch (option) {
            case NO_PEAK -> {
                only(!parameters.latency, " NoPeak only valid for BW tests");
                parameters.noPeak = true;
            }
            case REPORT_GBITS -> parameters.gigabits = true;
            case REPORT_BOTH -> parameters.reportBoth = true;
            case HISTOGRAM -> {
                only(parameters.latency, " Available only on Latency tests");
                parameters.histogram = true;
            }
            case UNSORTED -> {
                only(parameters.latency, " is Available only on Latency tests");
                parameters.unsorted = true;
            }
            case OUTPUT -> parameters.output = output(argument);
            case JSON -> parameters.output = Parameters.Output.JSON;
            case OUT_JSON -> parameters.jsonFile = true;
            case OUT_JSON_FILE -> parameters.jsonFileName = argument;
            case LIMIT_BW -> parameters.limitBandwidth = limit(argument, " Invalid Minimum BW Limit");
            case LIMIT_RATE -> parameters.limitMessageRate = limit(argument, " Invalid Minimum msgRate Limit");
            default -> throw new AssertionError(option);
        }
    }

    private void ibPort(String argument) {
        parameters.ibPort = integer("IB Port", argument) & 0xff;
        only(parameters.ibPort >= 1, "IB Port can't be less than 1");
    }

    private void serviceLevel(String argument) {
        parameters.serviceLevel = integer("Service Level", argument) & 0xff;
        only(parameters.serviceLevel <= 15, " Only 15 Service levels");
    }

    private void atomicType(String argument) {
        only(parameters.verb == Verb.ATOMIC, " You are not running the atomic_lat/bw test!\n"
            + " To change the atomic action type, you must run one of the atomic tests");
        parameters.compareAndSwap = argument.equals("CMP_AND_SWAP");
        if (!parameters.compareAndSwap && !argument.equals("FETCH_AND_ADD")) {
            throw new ToolFailure(" Invalid Atomic type! please choose from {CMP_AND_SWAP,FETCH_AND_ADD}");
        }
    }

    private void size(String argument) {
        String digits = argument;
        long factor = 1;
        if (digits.endsWith("K")) {
            factor = 1 << 10;
        } else if (digits.endsWith("M")) {
            factor = 1 << 20;
        }
        if (factor > 1) {
            digits = digits.substring(0, digits.length() - 1);
        }
        parameters.size = CNumber.signed(digits) * factor;
        parameters.sizeAsked = true;
        only(parameters.size >= 1 && parameters.size <= Integer.MAX_VALUE, " Message Size should be between 1 and " + Integer.MAX_VALUE);
    }

    private static Parameters.Output output(String argument) {
        return switch (argument) {
            case "bandwidth" -> Parameters.Output.BANDWIDTH;
            case "message_rate" -> Parameters.Output.MESSAGE_RATE;
            case "latency" -> Parameters.Output.LATENCY;
            default -> throw wrong(" Invalid verbosity level output flag. Please use bandwidth, latency, message_rate");
        };
    }

    private static double limit(String argument, String complaint) {
        double limit;
        try {
            limit = Double.parseDouble(argument);
        } catch (NumberFormatException noNumber) {
            throw wrong(complaint);
        }
        only(limit >= 0, complaint);
        return limit;
    }

    private static void only(boolean allowed, String complaint) {
        if (!allowed) {
            throw wrong(complaint);
        }
    }

    private static int integer(String name, String argument) {
        only(C_INTEGER.matcher(argument).matches(), " " + name + " argument " + argument + " should be int");
        return CNumber.signed(argument);
    }

    private static int notNegative(String name, String argument) {
        int value = integer(name, argument);
        only(value >= 0, " " + name + " must be non-negative");
        return value;
    }

    private static int between(String name, String argument, int least, int most) {
        int value = integer(name, argument);
        only(value >= least && value <= most, " " + name + " should be between " + least + " and " + most);
        return value;
    }

    // ---- all of them together, in the original's order ----

    private void settle() {
        settleDepths();
        settleModeration();
        if (parameters.verb == Verb.ATOMIC) {
            refuseIf(parameters.size != Parameters.ATOMIC_BYTES, "Message size cannot be changed for Atomic tests ");
        } else if (parameters.allSizes) {
            parameters.size = Parameters.LARGEST;
        }
        settleLists();
        settleDuration();
        settleConnection();
        settleOutput();
        if (parameters.isUd() && parameters.inlineSize > MOST_INLINE_UD) {
            warn("Setting inline size to " + MOST_INLINE_UD + " (Max inline size in UD)");
            parameters.inlineSize = MOST_INLINE_UD;
        }
        if (parameters.verb == Verb.SEND && parameters.rxDepth % 2 == 1 && !parameters.allSizes) {
            parameters.rxDepth++;
        }
        refuseIf(parameters.duration <= 2 * parameters.margin, "please check that DURATION > 2*MARGIN");
        if (parameters.vectorAsked && !parameters.events) {
            throw new ToolFailure(" Events must be enabled to select a completion vector");
        }
    }

    private void settleDepths() {
        if (parameters.timed) {
            return;
        }
        parameters.txDepth = Math.min(parameters.txDepth, parameters.iterations);
        if (parameters.verb == Verb.SEND) {
            parameters.rxDepth = Math.min(parameters.rxDepth, parameters.iterations);
        }
        if (parameters.connection != ConnectionType.RC && parameters.rxDepth == DEFAULT_RX_DEPTH) {
            parameters.rxDepth = Math.min(parameters.iterations, MOST_RECEIVES_UNRELIABLE);
        }
    }

    private void settleModeration() {
        if (parameters.size > LARGE_MESSAGE && !parameters.isUd() && !parameters.allSizes && !parameters.events) {
            if (!parameters.cqModerationAsked) {
                parameters.cqModeration = 1;
            } else if (parameters.cqModeration > 1) {
                note(LINE + "\nWarning: Large message requested and CQ moderation enabled\nWarning: It can lead to inaccurate results");
            }
        }
        parameters.cqModeration = Math.min(parameters.cqModeration, parameters.txDepth);
    }

    private void settleLists() {
        refuseIf(parameters.sharedReceives && parameters.verb != Verb.SEND, " Using SRQ only avavilible in SEND tests.");
        refuseIf(parameters.sharedReceives && parameters.queuePairs > parameters.rxDepth,
            " Using SRQ depth should be greater than number of QPs.");
        if (parameters.postList <= 1) {
            parameters.postList = 1;
            return;
        }
        refuseIf(parameters.latency, "Post list is supported in BW tests only");
        refuseIf(!parameters.timed && parameters.iterations % parameters.postList != 0,
            "Number of iterations must be a multiple of post list size");
        if (!parameters.cqModerationAsked) {
            parameters.cqModeration = parameters.postList;
            note(LINE + "\nPost List requested - CQ moderation will be the size of the post list");
        }
        refuseIf(parameters.postList % parameters.cqModeration != 0, "Post list size must be a multiple of CQ moderation");
        refuseIf(parameters.postList > parameters.txDepth, "Post list size " + parameters.postList + " is larger than the tx depth "
            + parameters.txDepth + ": nothing would ever be posted");
    }

    private void settleDuration() {
        if (!parameters.timed) {
            parameters.noPeak |= parameters.iterations > MOST_ITERATIONS_WITH_PEAK;
            parameters.noPeak |= parameters.verb == Verb.SEND && !parameters.sends && !parameters.duplex;
            return;
        }
        parameters.iterations = 0;
        parameters.noPeak = true;
        refuseIf(parameters.events, "Duration mode doesn't work with events.");
        refuseIf(parameters.allSizes, "Duration mode currently doesn't support running on all sizes.");
        if (parameters.margin < 0) {
            parameters.margin = parameters.duration / 4;
        }
    }

    private void settleConnection() {
        if (parameters.cmQueuePairs) {
            refuseIf(parameters.connection == ConnectionType.UC, " UC is not supported in librdmacm");
        } else if (parameters.tos >= 0) {
            throw new ToolFailure(" TOS only valid for rdma_cm based QP and RawEth QP ");
        }
    }

    private void settleOutput() {
        switch (parameters.output) {
            case BANDWIDTH, MESSAGE_RATE -> refuseIf(parameters.latency, " Output verbosity level for LAT can be: latency");
            case LATENCY -> refuseIf(!parameters.latency, " Output verbosity level for BW can be: bandwidth, message_rate");
            default -> {
            }
        }
        refuseIf(parameters.latencyGapUs > 0 && !parameters.latency, " Latency gap feature is only for latency tests");
    }

    private void refuseIf(boolean wrong, String complaint) {
        if (wrong) {
            note(LINE);
            throw new ToolFailure(complaint);
        }
    }

    private void note(String text) {
        if (parameters.output != Parameters.Output.JSON) {
            console.println(text);
        }
    }

    private void warn(String text) {
        console.error(text);
    }
}
