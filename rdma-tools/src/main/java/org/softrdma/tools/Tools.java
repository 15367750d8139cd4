// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import java.util.List;
import java.util.Set;
import org.softrdma.tools.cli.Tool;
import org.softrdma.tools.cm.CmTime;
import org.softrdma.tools.cm.McKey;
import org.softrdma.tools.cm.RdmaClient;
import org.softrdma.tools.cm.UcMatose;
import org.softrdma.tools.cm.UdAddy;
import org.softrdma.tools.demo.Demo;
import org.softrdma.tools.devices.IbStat;
import org.softrdma.tools.devices.IbStatus;
import org.softrdma.tools.devices.IbvDevinfo;
import org.softrdma.tools.devices.ShowGids;
import org.softrdma.tools.explain.Explain;
import org.softrdma.tools.fabric.FabricTool;
import org.softrdma.tools.fabric.IpoibTool;
import org.softrdma.tools.fabric.SmTool;
import org.softrdma.tools.ibping.IbPing;
import org.softrdma.tools.lab.LabTool;
import org.softrdma.tools.manual.Manual;
import org.softrdma.tools.nfs.NfsTool;
import org.softrdma.tools.nvme.NvmeReadTool;
import org.softrdma.tools.nvme.NvmeTool;
import org.softrdma.tools.perftest.PerfTest;
import org.softrdma.tools.perftest.Verb;
import org.softrdma.tools.pingpong.PingPong;
import org.softrdma.tools.pingpong.Service;
import org.softrdma.tools.pingpong.XsrqPingPong;
import org.softrdma.tools.qperf.QPerf;
import org.softrdma.tools.rdma.Rdma;
import org.softrdma.tools.rping.RPing;
import org.softrdma.tools.rstream.RStream;
import org.softrdma.tools.run.Daemon;
import org.softrdma.tools.run.Run;
import org.softrdma.tools.run.Shell;
import org.softrdma.tools.simulate.Simulate;
import org.softrdma.verbs.Verbs;

/** Table of all tools. */
final class Tools {
    /** Line of a tool in the overview. */
    record Entry(String name, String summary) {
    }

    private static final List<Entry> ALL = List.of(
        new Entry("cma_roce_mode", "version of RoCE of connections by address: cma_roce_mode -d rxe0 -p 1 [-m 1|2]"),
        new Entry("cmtime", "time of each step of connecting, with many connections at once"),
        new Entry("daemon", "the process that runs the devices of all programs under run: start, stop, status, log"),
        new Entry("demo", "two devices in one process: every RC operation over real sockets, all data checked"),
        new Entry("explain", "why a completion failed or a packet was dropped: rule, causes and what to do"),
        new Entry("fabric", "an InfiniBand fabric in software: run it, show it, pull its cables"),
        new Entry("ib_atomic_bw", "rate of atomics; the peer of all ib_*_bw and ib_*_lat is softrdma or perftest"),
        new Entry("ib_atomic_lat", "latency of atomics"),
        new Entry("ib_read_bw", "bandwidth of RDMA READ"),
        new Entry("ib_read_lat", "latency of RDMA READ"),
        new Entry("ib_send_bw", "bandwidth of messages"),
        new Entry("ib_send_lat", "latency of messages"),
        new Entry("ib_write_bw", "bandwidth of RDMA WRITE"),
        new Entry("ib_write_lat", "latency of RDMA WRITE"),
        new Entry("ibping", "ping the management of another port by GID or IP address; client and server"),
        new Entry("ibstat", "states of devices and ports"),
        new Entry("ibstatus", "states of ports, briefly"),
        new Entry("ibv_devices", "list the RDMA devices"),
        new Entry("ibv_devinfo", "attributes of devices and ports; -v: all of them"),
        new Entry("ibv_rc_pingpong", "ping-pong over a reliable connection, server or client"),
        new Entry("ibv_srq_pingpong", "ping-pong over several connections that share their receives"),
        new Entry("ibv_uc_pingpong", "ping-pong over an unreliable connection"),
        new Entry("ibv_ud_pingpong", "ping-pong with datagrams"),
        new Entry("ibv_xsrq_pingpong", "ping-pong over XRC: messages name the receive queue to use"),
        new Entry("ipoib", "an IP interface on a device of an InfiniBand fabric"),
        new Entry("lab", "laboratory in the browser: fabrics, packets as diagrams, lessons; lab check LESSON PROGRAM"),
        new Entry("manual", "write man pages and shell completion"),
        new Entry("mckey", "join a multicast group, send to it or receive from it"),
        new Entry("nfsd", "serve a directory by NFS over RDMA, to Linux's own client"),
        new Entry("nvme-read", "copy a disk that is served by NVMe over Fabrics into a file"),
        new Entry("nvmet", "serve a file as a disk by NVMe over Fabrics, to Linux's own host"),
        new Entry("qperf", "bandwidth and latency of RDMA, TCP and UDP between two hosts; client and server"),
        new Entry("rdma", "show, add, set and delete links: rdma link add rxe0 type rxe netdev eth0"),
        new Entry("rdma_client", "send sixteen bytes to rdma_server and back, by address"),
        new Entry("rdma_server", "server for rdma_client"),
        new Entry("rping", "ping by RDMA READ and RDMA WRITE; client, server, persistent server"),
        new Entry("rstream", "byte streams over RDMA: latency and bandwidth of rsockets"),
        new Entry("run", "run a program on the stock libibverbs: it sees these devices"),
        new Entry("shell", "start a shell whose programs see these devices"),
        new Entry("show_gids", "the GIDs of all devices: the indices that -g and -x take"),
        new Entry("simulate", "random workloads on a simulated faulty network, with all data checked"),
        new Entry("sm", "a subnet manager for fabrics in software: LIDs, routes, active links, again after each change"),
        new Entry("ucmatose", "messages both ways over connections by address"),
        new Entry("udaddy", "datagrams both ways, with the peer resolved by address"));

    private static final Set<String> OURS = Set.of("daemon", "demo", "explain", "fabric", "ipoib", "lab", "manual", "nfsd", "nvme-read",
        "nvmet", "run", "shell", "simulate", "sm");

    private Tools() {
    }

    /** @return whether the tool has no original; such a tool is not in bin/ */
    static boolean isOurs(String name) {
        return OURS.contains(name);
    }

    static List<Entry> all() {
        return ALL;
    }

    /**
     * Finds a tool. A switch, so that only the classes of one tool are loaded.
     *
     * @return null if there is none of this name
     */
    static Tool find(String name) {
        return switch (name) {
            case "cma_roce_mode" -> new CmaRoceMode();
            case "cmtime" -> new CmTime();
            case "daemon" -> new Daemon();
            case "demo" -> new Demo();
            case "explain" -> new Explain();
            case "fabric" -> new FabricTool();
            case "ib_atomic_bw" -> PerfTest.bandwidth(Verb.ATOMIC);
            case "ib_atomic_lat" -> PerfTest.latency(Verb.ATOMIC);
            case "ib_read_bw" -> PerfTest.bandwidth(Verb.READ);
            case "ib_read_lat" -> PerfTest.latency(Verb.READ);
            case "ib_send_bw" -> PerfTest.bandwidth(Verb.SEND);
            case "ib_send_lat" -> PerfTest.latency(Verb.SEND);
            case "ib_write_bw" -> PerfTest.bandwidth(Verb.WRITE);
            case "ib_write_lat" -> PerfTest.latency(Verb.WRITE);
            case "ibstat" -> new IbStat(Verbs::devices);
            case "ibstatus" -> new IbStatus(Verbs::devices);
            case "ibping" -> new IbPing();
            case "ibv_devices" -> new IbvDevices();
            case "ibv_devinfo" -> new IbvDevinfo(Verbs::devices);
            case "ibv_rc_pingpong" -> new PingPong(Service.RC);
            case "ibv_srq_pingpong" -> new PingPong(Service.SRQ);
            case "ibv_uc_pingpong" -> new PingPong(Service.UC);
            case "ibv_ud_pingpong" -> new PingPong(Service.UD);
            case "ibv_xsrq_pingpong" -> new XsrqPingPong();
            case "ipoib" -> new IpoibTool();
            case "lab" -> new LabTool();
            case "manual" -> new Manual(Pages::ofAllTools, Softrdma.version());
            case "mckey" -> new McKey();
            case "nfsd" -> new NfsTool();
            case "nvme-read" -> new NvmeReadTool();
            case "nvmet" -> new NvmeTool();
            case "qperf" -> new QPerf();
            case "rdma" -> new Rdma();
            case "rdma_client" -> RdmaClient.client();
            case "rdma_server" -> RdmaClient.server();
            case "rping" -> new RPing();
            case "rstream" -> new RStream();
            case "run" -> new Run();
            case "shell" -> new Shell();
            case "show_gids" -> new ShowGids(Verbs::devices);
            case "simulate" -> new Simulate();
            case "sm" -> new SmTool();
            case "ucmatose" -> new UcMatose();
            case "udaddy" -> new UdAddy();
            default -> null;
        };
    }
}
