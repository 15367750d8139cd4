// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.runner;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Which rows there are, in groups whose repetitions alternate, and how long each measures. */
final class Plan {
    private static final int[] QUICK_SIZES = {64, 4096, 65_536, 1 << 20};
    private static final int[] FULL_SIZES = {64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1 << 20, 4 << 20};
    static final List<String> LOSSES = List.of("0%", "0.1%", "1%");
    static final int LOSSY_WRITE = 1 << 20;
    static final int LOSSY_READ = 4 << 20;
    /** Kinds of hostile packets, and how many a second. */
    static final Map<String, Integer> FLOODS = new LinkedHashMap<>();
    static final int ACK_TIMEOUT = 14;
    /** Timeout of that code: 4.096 us x 2^14. */
    static final double ACK_TIMEOUT_MS = 4.096e-3 * (1 << ACK_TIMEOUT);
    /** End of the names of rows with the link option recovery early. */
    static final String EARLY = "-early";
    private static final int PATIENCE_SECONDS = 120;

    static {
        FLOODS.put("req", 5000);
        FLOODS.put("random", 50_000);
        FLOODS.put("key", 5000);
        FLOODS.put("icrc", 25_000);
    }

    private final boolean quick;
    private final Path directory;
    private final KernelRxe kernel;
    private final CPrograms programs;

    Plan(boolean quick, Path directory, KernelRxe kernel, CPrograms programs) {
        this.quick = quick;
        this.directory = directory;
        this.kernel = kernel;
        this.programs = programs;
    }

    int[] sizes() {
        return quick ? QUICK_SIZES : FULL_SIZES;
    }

    List<String> sizeNames() {
        return Arrays.stream(sizes()).mapToObj(Results::size).toList();
    }

    int repetitions() {
        return quick ? 2 : 3;
    }

    private double seconds() {
        return quick ? 0.4 : 1;
    }

    private JavaRow java(String name, String kind, String... settings) {
        return withOptions(name, List.of(), kind, settings);
    }

    private JavaRow withOptions(String name, List<String> options, String kind, String... settings) {
        List<String> all = new ArrayList<>(List.of(settings));
        if (!String.join(" ", settings).contains("firstWarm=")) {
            all.add("firstWarm=" + (quick ? 3 : 4));
        }
        all.add("warm=" + (quick ? 0.3 : 0.5));
        if (!String.join(" ", settings).contains("seconds=")) {
            all.add("seconds=" + seconds());
        }
        return new JavaRow(name, directory, PATIENCE_SECONDS, options, kind, all.toArray(String[]::new));
    }

    Map<String, List<Row>> groups() {
        Map<String, List<Row>> groups = new LinkedHashMap<>();
        groups.put("bandwidth", bandwidth());
        groups.put("loss", loss());
        groups.put("floods", floods());
        groups.put("latency", latency());
        groups.put("links", links());
        groups.put("shm", sharedMemory());
        groups.put("qps", List.of(
            java("qps/write-64", "qps", "size=64", "mtu=1024"),
            java("qps/write-64-unrecorded", "qps", "size=64", "mtu=1024", "record=0"),
            java("qps/write-16384", "qps", "size=16384", "mtu=1024")));
        groups.put("ud", List.of(java("ud/send", "datagrams", "sizes=64,1024")));
        groups.put("srq", List.of(
            java("srq/send-64-shared", "srq", "receives=shared", "mtu=1024"),
            java("srq/send-64-own", "srq", "receives=own", "mtu=1024")));
        groups.put("idle", List.of(withOptions("idle/10000-qps", List.of("-XX:NativeMemoryTracking=summary"), "idle", "count=10000")));
        String connections = "count=" + (quick ? 1000 : 5000);
        groups.put("connections", List.of(
            withOptions("connections/rdma-cm", List.of("-XX:NativeMemoryTracking=summary"), "connections", connections),
            java("connections/java-tcp", "tcp-connections", connections)));
        groups.put("nfs", files());
        groups.put("regions", List.of(java("regions/100000", "regions", "count=100000")));
        groups.put("start-up", startUp());
        List<Row> c = programs.rows(seconds(), quick);
        c.addAll(kernel.programs(directory, seconds(), quick));
        groups.put("c", c);
        return groups;
    }

    /**
     * NFS over RDMA, by RoCE and iWARP, beside the same server over TCP. On two processors the compilers take half of them for ten seconds
     * from the first call on.
     */
    private List<Row> files() {
        List<Row> rows = new ArrayList<>();
        for (String operation : List.of("read", "write")) {
            String[] common = {"op=" + operation, "calls=4", "sizes=65536,262144,1048576", "firstWarm=" + (quick ? 3 : 14)};
            rows.add(java("nfs/" + operation + "-rdma", "nfs", with(common, "transport=rdma")));
            rows.add(java("nfs/" + operation + "-tcp", "nfs", with(common, "transport=tcp")));
            rows.add(java("nfs/" + operation + "-siw", "nfs", with(common, "transport=rdma", "device=siw")));
        }
        return rows;
    }

    /** The tools as a user starts them, and the JVM alone. */
    private List<Row> startUp() {
        String launcher = directory.resolve("../../softrdma").normalize().toString();
        return List.of(
            new StartRow("start-up/ibv_devices", directory, List.of(launcher, "ibv_devices")),
            new StartRow("start-up/rdma-link", directory, List.of(launcher, "rdma", "link")),
            new StartRow("start-up/java-version", directory,
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-version")));
    }

    /** Each end loses that part of what it sends. The ACK timeout is perftest's. Lossy rows come with both settings of the recovery. */
    private List<Row> loss() {
        List<Row> rows = new ArrayList<>();
        for (String mtu : quick ? List.of("1024") : List.of("1024", "4096")) {
            for (String loss : LOSSES) {
                addLossy(rows, mtu, loss, "", "timeout");
                if (!loss.equals(LOSSES.getFirst())) {
                    addLossy(rows, mtu, loss, EARLY, "early");
                }
            }
        }
        return rows;
    }

    private void addLossy(List<Row> rows, String mtu, String loss, String suffix, String recovery) {
        String[] common = {"mtu=" + mtu, "faults=drop=" + loss, "recovery=" + recovery, "timeout=" + ACK_TIMEOUT,
            "seconds=" + (quick ? 1.5 : 5)};
        rows.add(java("loss/write-" + mtu + "-" + loss + suffix, "bandwidth", with(common, "op=write", "sizes=" + LOSSY_WRITE)));
        rows.add(java("loss/read-" + mtu + "-" + loss + suffix, "bandwidth", with(common, "op=read", "sizes=" + LOSSY_READ)));
    }

    private static String[] with(String[] settings, String... more) {
        return Stream.concat(Stream.of(settings), Stream.of(more)).toArray(String[]::new);
    }

    /** WRITEs of 1 MiB to an end that receives hostile packets, and the same packets sent to a port where nobody listens. */
    private List<Row> floods() {
        List<Row> rows = new ArrayList<>();
        FLOODS.forEach((kind, rate) -> {
            for (String at : List.of("victim", "dead")) {
                rows.add(java("floods/" + kind + "-" + at, "bandwidth", "op=write", "mtu=4096", "sizes=" + LOSSY_WRITE, "victim=1",
                    "seconds=" + (quick ? 1.5 : 4)).under("kind=" + kind, "rate=" + rate, "at=" + at));
            }
        });
        return rows;
    }

    /** UDP sockets beside raw frames, which need CAP_NET_RAW, and RoCE v2 beside v1. */
    private List<Row> links() {
        List<Row> rows = new ArrayList<>();
        for (String wire : List.of("udp-v2", "raw-v2", "raw-v1")) {
            String link = "link=" + wire.substring(0, 3);
            String roce = "roce=" + wire.substring(4);
            for (String mtu : List.of("1024", "4096")) {
                rows.add(java("links/write-" + mtu + "-" + wire, "bandwidth", "op=write", "mtu=" + mtu, "sizes=65536,1048576", link, roce));
            }
            rows.add(java("links/send-poll-" + wire, "pingpong", "mode=poll", "seconds=" + (quick ? 1.5 : 4), link, roce));
        }
        return rows;
    }

    /** Two processes through shared memory, beside the same rows over the network and UCX through shared memory. */
    private List<Row> sharedMemory() {
        int[] sizes = {64, 4096, 65_536, 1 << 20};
        String inWords = "sizes=" + Arrays.stream(sizes).mapToObj(Integer::toString).collect(Collectors.joining(","));
        List<Row> rows = new ArrayList<>();
        for (String wire : List.of("shm", "udp")) {
            for (String operation : List.of("write", "read", "send")) {
                rows.add(java("shm/" + operation + "-" + wire, "bandwidth", "op=" + operation, "mtu=4096", inWords, "wire=" + wire));
            }
            for (String mode : List.of("poll", "event")) {
                rows.add(java("shm/send-" + mode + "-" + wire, "pingpong", "mode=" + mode, "seconds=" + (quick ? 1.5 : 4), "wire=" + wire));
            }
        }
        Peers peers = new Peers(directory, quick ? 1 : 3).through("posix");
        rows.add(peers.ucxBandwidth("shm/ucx-tag", "tag_bw", sizes));
        rows.add(peers.ucxLatency("shm/ucx-tag-64", "tag_lat", 64));
        return rows;
    }

    private List<Row> bandwidth() {
        String sizes = "sizes=" + Arrays.stream(sizes()).mapToObj(Integer::toString).collect(Collectors.joining(","));
        Peers peers = new Peers(directory, seconds());
        // Those that targets speak of: UCX needs more than two seconds for each.
        int[] peerSizes = quick ? new int[] {64, 1 << 20} : sizes();
        List<Row> rows = new ArrayList<>();
        for (String mtu : List.of("1024", "4096")) {
            for (String operation : List.of("write", "read", "send")) {
                rows.add(java("bandwidth/rc-" + operation + "-" + mtu, "bandwidth", "op=" + operation, "mtu=" + mtu, sizes));
            }
            for (String operation : List.of("write", "read")) {
                rows.add(java("bandwidth/rc-" + operation + "-" + mtu + "-equal", "bandwidth", "op=" + operation, "mtu=" + mtu,
                    "segmentation=equal", sizes));
            }
            rows.add(java("bandwidth/ceiling-" + mtu, "ceiling", "mtu=" + mtu));
            if (!quick) {
                rows.add(java("bandwidth/ceiling-" + mtu + "-single", "ceiling", "mtu=" + mtu, "train=1", "windows=1048576"));
            }
        }
        for (String crc : List.of("off", "on")) {
            for (String operation : List.of("write", "read", "send")) {
                rows.add(java("bandwidth/siw-" + operation + "-crc-" + crc, "bandwidth", "device=siw", "op=" + operation, "crc=" + crc,
                    sizes));
            }
        }
        rows.add(peers.ucxBandwidth("bandwidth/ucx-put", "ucp_put_bw", peerSizes));
        rows.add(peers.ucxBandwidth("bandwidth/ucx-tag", "tag_bw", peerSizes));
        if (!quick) {
            rows.add(peers.ucxBandwidth("bandwidth/ucx-am", "ucp_am_bw", peerSizes));
        }
        rows.add(peers.fabricBandwidth("bandwidth/fabric-tcp-rxm", "tcp;ofi_rxm", "rdm", peerSizes));
        rows.add(peers.iperf("bandwidth/tcp-iperf3", 1 << 20));
        rows.addAll(kernel.rows(directory, seconds(), quick));
        return rows;
    }

    private List<Row> latency() {
        String seconds = "seconds=" + (quick ? 1.5 : 4);
        Peers peers = new Peers(directory, quick ? 1 : 3);
        List<Row> rows = new ArrayList<>(List.of(
            java("latency/rc-send-poll", "pingpong", "mode=poll", seconds),
            java("latency/java-udp-spin", "udp-pingpong", "mode=spin", seconds),
            java("latency/rc-send-event", "pingpong", "mode=event", seconds),
            java("latency/java-udp-block", "udp-pingpong", "mode=block", seconds),
            java("latency/siw-send-poll", "pingpong", "device=siw", "mode=poll", seconds),
            java("latency/java-tcp-spin", "tcp-pingpong", "mode=spin", seconds),
            java("latency/siw-send-event", "pingpong", "device=siw", "mode=event", seconds),
            java("latency/java-tcp-block", "tcp-pingpong", "mode=block", seconds),
            peers.ucxLatency("latency/ucx-tag", "tag_lat", 64)));
        if (!quick) {
            rows.addAll(List.of(
                peers.ucxLatency("latency/ucx-am", "ucp_am_lat", 64),
                peers.fabricLatency("latency/fabric-tcp-rxm", "tcp;ofi_rxm", "rdm", 64),
                peers.fabricLatency("latency/fabric-udp", "udp", "dgram", 64),
                peers.sockperfLatency("latency/sockperf-udp-spin", 64, "--nonblocked"),
                peers.sockperfLatency("latency/sockperf-udp-block", 64)));
        }
        return rows;
    }
}
