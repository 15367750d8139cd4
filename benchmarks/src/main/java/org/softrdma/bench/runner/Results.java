// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.runner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** RESULTS.md and its plots, from what was measured. */
final class Results {
    private static final int MIB = 1 << 20;
    private static final List<String> CROSSINGS = List.of("poll", "receive", "post", "write");

    private final Samples samples;
    private final Plan plan;
    private final boolean noisy;
    private final StringBuilder text = new StringBuilder();

    /** @param noisy other programs ran meanwhile: no verdicts */
    Results(Samples samples, Plan plan, boolean noisy) {
        this.samples = samples;
        this.plan = plan;
        this.noisy = noisy;
    }

    /** @param about lines that say what kind of run it was. @param missing rows that could not run, and why */
    void write(Path file, Path plots, Map<String, String> facts, List<String> about, Map<String, String> missing) throws IOException {
        line("# Benchmark results");
        line("");
        line("Written by `benchmarks/run` on " + LocalDate.now() + ". " + String.join(" ", about));
        line("Two processes on the loopback interface, nothing pinned. Every value is a median, with the smallest and the largest behind "
            + "it; repetitions of a row and of its peers alternate. Absolute figures are this machine's; ratios are what counts.");
        line("");
        line("| | |");
        line("|---|---|");
        facts.forEach((name, value) -> line("| " + name + " | " + value + " |"));
        line("");
        targets();
        bandwidth();
        loss();
        floods();
        latency();
        links();
        queuePairs();
        datagrams();
        sharedReceives();
        memory();
        connections();
        files();
        startUp();
        cPrograms();
        allocation();
        trouble(missing);
        plots(plots);
        Files.writeString(file, text.toString());
    }

    private void line(String more) {
        text.append(more).append('\n');
    }

    // ---- targets ----

    private void targets() {
        line("## Against the targets");
        line("");
        line("| what | target | ratio | of | |");
        line("|---|---|---|---|---|");
        String write = "bandwidth/rc-write-1024";
        String large = "GBps." + MIB;
        atLeast("WRITE 1 MiB, MTU 1024, of the protocol-shaped ceiling", 0.75, write, large, "bandwidth/ceiling-1024", large);
        atLeast("WRITE 1 MiB, MTU 4096, of the protocol-shaped ceiling", 0.75, "bandwidth/rc-write-4096", large,
            "bandwidth/ceiling-4096", large);
        atLeast("WRITE 1 MiB, MTU 1024, to UCX tcp put", 3, write, large, "bandwidth/ucx-put", large);
        atLeast("WRITE 1 MiB, MTU 1024, to kernel rxe (UML)", 2, write, large, "bandwidth/kernel-rxe-write-1024", large);
        atLeast("WRITE 1 MiB, MTU 4096, to kernel rxe (UML)", 1.5, "bandwidth/rc-write-4096", large,
            "bandwidth/kernel-rxe-write-4096", large);
        atLeast("READ 1 MiB to WRITE, MTU 1024", 0.8, "bandwidth/rc-read-1024", large, write, large);
        atLeast("SEND 1 MiB to WRITE, MTU 1024", 0.8, "bandwidth/rc-send-1024", large, write, large);
        String iwarp = "bandwidth/siw-write-crc-off";
        atLeast("iWARP WRITE 1 MiB without CRC to iperf3's single stream", 0.8, iwarp, large, "bandwidth/tcp-iperf3", large);
        atLeast("iWARP WRITE 1 MiB without CRC to kernel siw (UML)", 1.5, iwarp, large, "bandwidth/kernel-siw-write", large);
        atLeast("iWARP WRITE 1 MiB with CRC to without", 0.7, "bandwidth/siw-write-crc-on", large, iwarp, large);
        atMost("iWARP SEND 64 B latency, polling, to spinning Java TCP", 1.5, "latency/siw-send-poll", "us.p50", "latency/java-tcp-spin",
            "us.p50");
        atMost("iWARP SEND 64 B latency, events, to blocking Java TCP", 1.5, "latency/siw-send-event", "us.p50", "latency/java-tcp-block",
            "us.p50");
        atMost("SEND 64 B latency, polling, to spinning Java UDP", 1.5, "latency/rc-send-poll", "us.p50", "latency/java-udp-spin",
            "us.p50");
        atMost("SEND 64 B latency, events, to blocking Java UDP", 1.3, "latency/rc-send-event", "us.p50", "latency/java-udp-block",
            "us.p50");
        atLeast("SEND 64 B message rate to UCX tcp tag", 4, "bandwidth/rc-send-4096", "kmsgps.64", "bandwidth/ucx-tag", "kmsgps.64");
        atLeast("1,000 queue pairs' WRITE 64 B total to one's", 0.8, "qps/write-64", "kmsgps.1000", "qps/write-64", "kmsgps.1");
        atLeast("WRITE 64 B recorded to unrecorded", 0.97, "qps/write-64", "kmsgps.1", "qps/write-64-unrecorded", "kmsgps.1");
        atLeast("1,000 queue pairs' WRITE 64 B recorded to unrecorded", 0.9, "qps/write-64", "kmsgps.1000", "qps/write-64-unrecorded",
            "kmsgps.1000");
        atLeast("1,000 queue pairs' WRITE 16 KiB total to one's", 0.8, "qps/write-16384", "kmsgps.1000", "qps/write-16384", "kmsgps.1");
        atLeast("NFS READ 1 MiB over RDMA to TCP", 1, "nfs/read-rdma", large, "nfs/read-tcp", large);
        atLeast("NFS WRITE 1 MiB over RDMA to TCP", 1, "nfs/write-rdma", large, "nfs/write-tcp", large);
        atLeast("one active among 10,000 idle to one alone", 0.8, "idle/10000-qps", "kmsgps.among", "idle/10000-qps", "kmsgps.alone");
        atMost("start of ibv_devices to java -version", 2.5, "start-up/ibv_devices", "ms", "start-up/java-version", "ms");
        for (String mtu : List.of("1024", "4096")) {
            for (boolean early : List.of(false, true)) {
                lossTargets("WRITE 1 MiB", "write", mtu, Plan.LOSSY_WRITE, early);
                lossTargets("READ 4 MiB", "read", mtu, Plan.LOSSY_READ, early);
            }
        }
        for (String kind : Plan.FLOODS.keySet()) {
            atLeast("WRITE 1 MiB under a flood of " + floodName(kind) + ", to the same flood at a dead port", 0.8,
                "floods/" + kind + "-victim", large, "floods/" + kind + "-dead", large);
        }
        double idle = samples.median("idle/10000-qps", "heap") + samples.median("idle/10000-qps", "native");
        if (!Double.isNaN(idle)) {
            line(String.format(Locale.ROOT, "| idle queue pair, bytes | ≤ 8192 | %.0f | heap + native | %s |", idle,
                verdict(idle <= 8192)));
        }
        line("");
    }

    private static String floodName(String kind) {
        String packets = switch (kind) {
            case "req" -> "REQs for a port without listener";
            case "key" -> "WRITEs with forged keys";
            case "icrc" -> "packets with a wrong ICRC";
            default -> "random packets";
        };
        return number(Plan.FLOODS.get(kind)) + " " + packets + " a second";
    }

    /** A loss that is found by the ACK timeout costs one, and a second one if the repeat is lost; with early recovery it costs less. */
    private void lossTargets(String what, String operation, String mtu, int size, boolean early) {
        String row = "loss/" + operation + "-" + mtu + "-";
        String end = early ? Plan.EARLY : "";
        String named = what + ", MTU " + mtu + (early ? ", recovery early" : "");
        atLeast(named + ", at 0.1 % loss to no loss", 0.5, row + Plan.LOSSES.get(1) + end, "GBps." + size, row + Plan.LOSSES.getFirst(),
            "GBps." + size);
        double limitMs = (early ? 1 : 2) * Plan.ACK_TIMEOUT_MS;
        for (String loss : Plan.LOSSES.subList(1, Plan.LOSSES.size())) {
            double stallMs = samples.max(row + loss + end, "stall_ms." + size);
            if (!Double.isNaN(stallMs)) {
                line(String.format(Locale.ROOT, "| %s, longest stall at %s loss, ms | ≤ %.0f | %s | %s | %s |", named,
                    loss.replace("%", " %"), limitMs, number(stallMs), early ? "one ACK timeout" : "two ACK timeouts",
                    verdict(stallMs <= limitMs)));
            }
        }
    }

    private void atLeast(String what, double target, String row, String key, String peer, String peerKey) {
        ratio(what, "≥ ", target, row, key, peer, peerKey);
    }

    private void atMost(String what, double target, String row, String key, String peer, String peerKey) {
        ratio(what, "≤ ", target, row, key, peer, peerKey);
    }

    private void ratio(String what, String sign, double target, String row, String key, String peer, String peerKey) {
        double ours = samples.median(row, key);
        double theirs = samples.median(peer, peerKey);
        if (Double.isNaN(ours) || Double.isNaN(theirs)) {
            line("| " + what + " | " + sign + number(target) + " | not measured | | |");
            return;
        }
        double ratio = ours / theirs;
        boolean met = sign.startsWith("≥") ? ratio >= target : ratio <= target;
        line("| " + what + " | " + sign + number(target) + " | " + number(ratio) + " | " + number(ours) + " / " + number(theirs) + " | "
            + verdict(met) + " |");
    }

    private String verdict(boolean met) {
        return noisy ? "not judged" : met ? "met" : "**not met**";
    }

    static String number(double value) {
        double size = Math.abs(value);
        String format = size >= 1000 ? "%,.0f" : size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.3f";
        return Double.isNaN(value) ? "–" : String.format(Locale.ROOT, format, value);
    }

    private String cell(String row, String key) {
        if (!samples.has(row, key)) {
            return "";
        }
        if (samples.of(row).get(key).size() == 1) {
            return number(samples.median(row, key));
        }
        return number(samples.median(row, key)) + " (" + number(samples.min(row, key)) + "–" + number(samples.max(row, key)) + ")";
    }

    private List<String> rowsOf(String group) {
        return samples.rows().stream().filter(row -> row.startsWith(group + "/")).toList();
    }

    private static String contender(String row) {
        return row.substring(row.indexOf('/') + 1);
    }

    static String size(double bytes) {
        long size = (long) bytes;
        return size >= MIB ? size / MIB + " MiB" : size >= 1024 ? size / 1024 + " KiB" : size + " B";
    }

    // ---- tables ----

    private void table(String title, String group, String keyPrefix, List<String> names, List<String> keys) {
        List<String> rows = rowsOf(group).stream().filter(row -> keys.stream().anyMatch(key -> samples.has(row, keyPrefix + key))).toList();
        if (rows.isEmpty()) {
            return;
        }
        line(title);
        line("");
        line("| | " + String.join(" | ", names) + " |");
        line("|---|" + "---|".repeat(names.size()));
        for (String row : rows) {
            List<String> cells = new ArrayList<>();
            keys.forEach(key -> cells.add(cell(row, keyPrefix + key)));
            line("| " + contender(row) + " | " + String.join(" | ", cells) + " |");
        }
        line("");
    }

    private void bandwidth() {
        List<String> keys = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (int size : plan.sizes()) {
            keys.add(Integer.toString(size));
            names.add(size(size));
        }
        if (rowsOf("bandwidth").isEmpty()) {
            return;
        }
        line("## Bandwidth and message rate");
        line("");
        line("One queue pair, up to 128 messages or 8 MiB in flight. `rc-*-1024` and `-4096` are ours at that path MTU, `siw-*` ours over "
            + "TCP; `ceiling-*` is what BTH, ICRC, copies and offloads alone cost in Java, `ceiling-*-single` the same without offloads; "
            + "`fabric-*` sends one message at a time; `tcp-iperf3` is plain TCP; `kernel-*` is Linux's own, measured by perftest in a "
            + "user-mode kernel with one processor for both ends: where this machine has two, half of it.");
        line("");
        table("GB/s (10⁹ bytes a second):", "bandwidth", "GBps.", names, keys);
        table("Thousand messages a second:", "bandwidth", "kmsgps.", names, keys);
        table("Cores used by the sending process:", "bandwidth", "cores.", names, keys);
        table("Cores used by the receiving process:", "bandwidth", "peer.cores.", names, keys);
        line("![Bandwidth over message size](plots/bandwidth.svg)");
        line("");
        line("![Message rate over message size](plots/rate.svg)");
        line("");
    }

    private void loss() {
        if (rowsOf("loss").isEmpty()) {
            return;
        }
        line("## Goodput at loss");
        line("");
        line("One queue pair, WRITEs of 1 MiB or READs of 4 MiB, as many in flight as without loss; each end loses that part of the "
            + "packets it sends, at random. The stall is the longest time between two completions. Rows `-early` have the link option "
            + "`recovery early`, the others the default.");
        line("");
        List<String> sizes = List.of(Integer.toString(Plan.LOSSY_WRITE), Integer.toString(Plan.LOSSY_READ));
        List<String> names = List.of("WRITE 1 MiB", "READ 4 MiB");
        table("GB/s:", "loss", "GBps.", names, sizes);
        table("Longest stall, ms:", "loss", "stall_ms.", names, sizes);
    }

    private void floods() {
        if (rowsOf("floods").isEmpty()) {
            return;
        }
        line("## Floods");
        line("");
        line("One queue pair, WRITEs of 1 MiB; meanwhile a third process sends hostile packets to the passive end (`*-victim`), or the "
            + "same packets to a port of its address where nobody listens (`*-dead`).");
        line("");
        table("GB/s:", "floods", "GBps.", List.of("WRITE 1 MiB"), List.of(Integer.toString(MIB)));
    }

    private void latency() {
        if (rowsOf("latency").isEmpty()) {
            return;
        }
        line("## Latency of 64 B, half a round trip");
        line("");
        List<String> keys = List.of("p50", "mean", "p90", "p99", "p99.9", "p99.99");
        table("Microseconds:", "latency", "us.", keys, keys);
        line("![Latency percentiles](plots/latency.svg)");
        line("");
    }

    private void links() {
        if (rowsOf("links").isEmpty()) {
            return;
        }
        line("## Links");
        line("");
        line("The same loads over UDP sockets and over raw frames, which a device can have in RoCE v2 and in v1: WRITE at both path MTUs, "
            + "and the round trip of 64 B.");
        line("");
        List<String> percentiles = List.of("p50", "mean", "p99");
        table("GB/s:", "links", "GBps.", List.of(size(1 << 16), size(1 << 20)), List.of("65536", "1048576"));
        table("Half a round trip, microseconds:", "links", "us.", percentiles, percentiles);
    }

    private void queuePairs() {
        if (rowsOf("qps").isEmpty()) {
            return;
        }
        line("## Many active queue pairs");
        line("");
        line("All between the same two devices; 256 requests posted in all, at most 128 and at least 2 on each. Unrecorded: without the "
            + "flight recorder.");
        line("");
        List<String> keys = List.of("1", "10", "100", "1000");
        table("Thousand messages a second, all together:", "qps", "kmsgps.", keys, keys);
        table("GB/s, all together:", "qps", "GBps.", keys, keys);
        table("Fairness: the slowest one's share of an equal share:", "qps", "fairness.", keys, keys);
    }

    private void datagrams() {
        if (rowsOf("ud").isEmpty()) {
            return;
        }
        line("## Datagrams");
        line("");
        line("From one UD queue pair to another, as fast as they go: nobody slows the sender down, and what the receiver cannot take is "
            + "lost.");
        line("");
        List<String> names = List.of("64 B", "1 KiB");
        List<String> sizes = List.of("64", "1024");
        table("Thousand datagrams received a second:", "ud", "kmsgps.", names, sizes);
        table("Thousand datagrams sent a second:", "ud", "sent_kmsgps.", names, sizes);
        table("Share lost, warm-up and all:", "ud", "lost.", names, sizes);
    }

    private void sharedReceives() {
        if (rowsOf("srq").isEmpty()) {
            return;
        }
        line("## A thousand queue pairs' receives");
        line("");
        line("64 B SENDs on 1,000 queue pairs between the same two devices, two posted on each, into one shared receive queue or "
            + "a queue of each.");
        line("");
        table("All together:", "srq", "", List.of("k messages/s", "slowest one's share"), List.of("kmsgps.1000", "fairness.1000"));
    }

    private void memory() {
        List<String> idle = rowsOf("idle");
        if (!idle.isEmpty()) {
            line("## Idle queue pairs");
            line("");
            List<String> keys = List.of("heap", "native", "resident", "create_us", "connect_us", "kmsgps.alone", "kmsgps.among",
                "active_ratio");
            table("Queues of 16 + 16 requests with one element each. Bytes for each queue pair, in heap, native (the JVM's count) and "
                + "resident; µs to create and to connect one; k WRITEs of 64 B a second on one active queue pair:", "idle", "",
                List.of("heap B", "native B", "resident B", "create µs", "connect µs", "alone", "among idle", "ratio"), keys);
        }
        List<String> regions = rowsOf("regions");
        if (!regions.isEmpty()) {
            line("## Memory regions");
            line("");
            table("ns to register and deregister one, heap bytes of each; k WRITEs of 64 B a second in one region, and hopping among all "
                + "at both ends:", "regions", "", List.of("register ns", "deregister ns", "heap B", "in one", "hopping", "ratio"),
                List.of("register_ns", "deregister_ns", "heap", "kmsgps.one", "kmsgps.many", "many_ratio"));
        }
    }

    private void connections() {
        if (rowsOf("connections").isEmpty()) {
            return;
        }
        line("## Connections by address");
        line("");
        line("All asked for at once, from one process to the other, all there at the same time, then all ended. `rdma-cm` is what `cmtime` "
            + "does: addresses and routes resolved, queue pairs of 1 + 1 requests made, connected, disconnected, destroyed. `java-tcp` "
            + "connects blocking channels one after the other, which another thread accepts.");
        line("");
        table("Thousand connections a second, set up from the first call on, and ended; of those the part that is connect; bytes for "
            + "each at the end that asks, in heap, native (the JVM's count) and resident:", "connections", "",
            List.of("at once", "set up k/s", "connect k/s", "ended k/s", "heap B", "native B", "resident B"),
            List.of("count", "kcps.setup", "kcps.connect", "kcps.end", "heap", "native", "resident"));
    }

    private void files() {
        if (rowsOf("nfs").isEmpty()) {
            return;
        }
        line("## Files");
        line("");
        line("READs and WRITEs of NFS version 3 on one file in the page cache, four calls under way, WRITEs without a commit: our client "
            + "on our server, by RoCE (`rdma`), iWARP (`siw`), and TCP in plain Java (`tcp`), where the server executes one call at a "
            + "time.");
        line("");
        table("GB/s by bytes of a call; cores of the client for 1 MiB, and of the server on the whole:", "nfs", "",
            List.of("64 KiB", "256 KiB", "1 MiB", "client cores", "server cores"),
            List.of("GBps.65536", "GBps.262144", "GBps.1048576", "cores.1048576", "peer.cores"));
    }

    private void startUp() {
        if (rowsOf("start-up").isEmpty()) {
            return;
        }
        line("## Start-up");
        line("");
        table("From the start of the command to its end, launcher script included:", "start-up", "", List.of("ms"), List.of("ms"));
    }

    private void cPrograms() {
        if (rowsOf("c").isEmpty()) {
            return;
        }
        line("## C programs");
        line("");
        line("Both ends on this host. `*-c` are the system's perftest and ibverbs-utils under `./softrdma run`, on one daemon where "
            + "packets stay in memory, which is the default; `*-c-udp` the same with `wire udp`, where they take the interface. `*-java` "
            + "are our tools of the same names and options, a device each; `*-java-libibverbs` our tools on the system's libibverbs, on "
            + "the C programs' device. On two processors, two programs that poll leave none to the "
            + "daemon. `*-kernel-rxe` are the C programs on Linux's own rxe in a user-mode kernel, which has one processor: there a "
            + "half round trip of two programs that poll is a slice of its scheduler.");
        line("");
        cRatios();
        List<String> percentiles = List.of("p50", "mean", "p99", "p99.9");
        table("Half a round trip, microseconds:", "c", "us.", percentiles, percentiles);
        table("GB/s:", "c", "GBps.", CPrograms.SIZES.stream().map(Results::size).toList(),
            CPrograms.SIZES.stream().map(String::valueOf).toList());
        table("A round trip of 4 KiB, microseconds, mean of 1,000, which are the first of our tools; `-e` waits for events:", "c", "us.",
            List.of("mean"), List.of("iteration"));
        List<String> calls = List.of("getppid", "stat", "open", "stat_ours", "open_ours", "context", "query_port", "pd", "mr", "cq", "qp");
        table("Control calls, microseconds: one that is never trapped, then stat, and open and close, of an ordinary file and of "
            + "`/dev/infiniband/uverbs0`; then verbs, each object made and destroyed:", "c", "us.",
            calls.stream().map(each -> each.replace("_ours", " of ours").replace('_', ' ')).toList(), calls);
        table("Calls of the data path, nanoseconds, in C and through libibverbs-java: an empty poll; a receive posted to a shared receive "
            + "queue; the post of a 64 B WRITE, which tells the daemon by a system call; the same with the poll of its completion, 64 at "
            + "once:", "c", "ns.", CROSSINGS, CROSSINGS);
        List<String> names = List.of("just started", "with a program that waits", "after programs");
        table("The daemon when there is nothing to do, % of one processor:", "c", "cpu_percent.", names, DaemonRow.STATES);
        table("Its resident memory, MB (10⁶ bytes):", "c", "resident_MB.", names, DaemonRow.STATES);
    }

    /** C programs to our tools, and to the kernel's rxe where that was measured. */
    private void cRatios() {
        line("| what | ratio | of |");
        line("|---|---|---|");
        for (String tool : CPrograms.LATENCIES) {
            cRatio(tool + ", p50", tool, "us.p50", "c/" + tool + CPrograms.JAVA);
            cRatio(tool + ", mean, to kernel rxe (UML)", tool, "us.mean", "c/" + tool + CPrograms.KERNEL);
            adapterRatio(tool + ", p50", tool, "us.p50");
        }
        for (String tool : CPrograms.BANDWIDTHS) {
            for (int size : CPrograms.SIZES) {
                cRatio(tool + " " + size(size), tool, "GBps." + size, "c/" + tool + CPrograms.JAVA);
                adapterRatio(tool + " " + size(size), tool, "GBps." + size);
                cRatio(tool + " " + size(size) + ", to kernel rxe (UML)", tool, "GBps." + size,
                    "c/" + tool + CPrograms.KERNEL);
            }
        }
        for (String tool : CPrograms.PING_PONGS) {
            cRatio(tool, tool, "us.iteration", "c/" + tool + CPrograms.JAVA);
            adapterRatio(tool, tool, "us.iteration");
        }
        for (String call : CROSSINGS) {
            ratioLine("crossing, " + call + ", Java to C", "c/crossing-java", "ns." + call, "c/crossing-c");
        }
        for (String call : List.of("stat", "open")) {
            ratioLine(call + " of an ordinary file, to outside of run", "c/calls-run", "us." + call, "c/calls-outside");
        }
        line("");
    }

    private void cRatio(String what, String tool, String key, String peer) {
        ratioLine(what, "c/" + tool + CPrograms.C, key, peer);
        ratioLine(what + ", wire udp", "c/" + tool + CPrograms.C_UDP, key, peer);
    }

    private void adapterRatio(String what, String tool, String key) {
        ratioLine(what + ", Java through libibverbs to C", "c/" + tool + CPrograms.ADAPTER, key, "c/" + tool + CPrograms.C);
    }

    private void ratioLine(String what, String row, String key, String peer) {
        if (samples.has(row, key) && samples.has(peer, key)) {
            double ours = samples.median(row, key);
            double theirs = samples.median(peer, key);
            line("| " + what + " | " + number(ours / theirs) + " | " + number(ours) + " / " + number(theirs) + " |");
        }
    }

    private void allocation() {
        List<String> rows = samples.rows().stream()
            .filter(row -> samples.of(row).keySet().stream().anyMatch(key -> key.contains("alloc"))).toList();
        if (rows.isEmpty()) {
            return;
        }
        line("## Java heap allocated per message");
        line("");
        line("By all threads of the process while it measured (sending side), bytes; what the measuring and a busy machine add is in it. "
            + "`benchmarks/run --jmh` looks at the parts.");
        line("");
        line("| | " + String.join(" | ", plan.sizeNames()) + " |");
        line("|---|" + "---|".repeat(plan.sizes().length));
        for (String row : rows) {
            List<String> cells = new ArrayList<>();
            for (int size : plan.sizes()) {
                String key = samples.has(row, "alloc") && size == 64 ? "alloc" : "alloc." + size;
                cells.add(samples.has(row, key) ? number(samples.median(row, key)) : "");
            }
            line("| " + row + " | " + String.join(" | ", cells) + " |");
        }
        line("");
    }

    private void trouble(Map<String, String> missing) {
        List<String> lines = new ArrayList<>();
        Map<String, List<String>> byReason = new LinkedHashMap<>();
        missing.forEach((row, why) -> byReason.computeIfAbsent(why, key -> new ArrayList<>()).add("`" + row + "`"));
        byReason.forEach((why, rows) -> lines.add("- " + String.join(", ", rows) + " did not run: " + why));
        samples.failures().forEach((row, why) -> lines.add("- `" + row + "` failed at least once: " + why));
        for (String row : samples.rows()) {
            for (String key : samples.of(row).keySet()) {
                if (!row.startsWith("loss/") && isTrouble(key)) {
                    lines.add("- `" + row + "`: " + key + " up to " + number(samples.max(row, key)));
                }
            }
        }
        line("## What is missing, and what went wrong");
        line("");
        if (lines.isEmpty()) {
            line("Nothing.");
        }
        lines.forEach(this::line);
    }

    private static boolean isTrouble(String key) {
        return key.endsWith("_pkts") || key.endsWith("_err") || key.endsWith("_icrc");
    }

    // ---- plots ----

    private void plots(Path directory) throws IOException {
        Files.createDirectories(directory);
        Chart bandwidth = new Chart("Bandwidth over message size", "message size", "GB/s", Results::size);
        Chart rate = new Chart("Message rate over message size", "message size", "k messages/s", Results::size);
        for (String row : rowsOf("bandwidth")) {
            for (int size : plan.sizes()) {
                bandwidth.point(contender(row), size, samples.median(row, "GBps." + size));
                rate.point(contender(row), size, samples.median(row, "kmsgps." + size));
            }
        }
        Chart latency = new Chart("Latency of 64 B, half a round trip", "percentile", "µs",
            nines -> "p" + (float) (100 - 100 / nines));
        for (String row : rowsOf("latency")) {
            for (String percentile : List.of("50", "75", "90", "95", "99", "99.9", "99.99")) {
                latency.point(contender(row), 100 / (100 - Double.parseDouble(percentile)), samples.median(row, "us.p" + percentile));
            }
        }
        write(bandwidth, directory.resolve("bandwidth.svg"));
        write(rate, directory.resolve("rate.svg"));
        write(latency, directory.resolve("latency.svg"));
    }

    private static void write(Chart chart, Path file) throws IOException {
        if (!chart.isEmpty()) {
            chart.write(file);
        }
    }
}
