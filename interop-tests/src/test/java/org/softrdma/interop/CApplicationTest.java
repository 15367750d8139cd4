// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Applications and middleware on our devices as distributions package them: libfabric, UCX, MPI, librpma, fio, a TCP program on
 * rsockets, QEMU's live migration, and Ceph. All ends are on one host, or on two hosts with a daemon each and a wire between them.
 * {@code -Dsoftrdma.case=REGEX} runs some of the cases.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CApplicationTest {
    @RegisterExtension
    static final NamespaceExtension NAMESPACES = new NamespaceExtension("ip", "setpriv", "stdbuf", "ibv_devinfo", "fi_pingpong",
        "ucx_perftest", "fio", "iperf3", "nc.traditional", "mpirun.openmpi", LabProgram.MPICH, "mpirun.mpich", LabProgram.COMPILER,
        "qemu-system-x86_64", "ceph-mon", "ceph-osd", "rados");

    private static final Duration DEADLINE = Duration.ofSeconds(90);
    private static final int FIRST_PORT = 23_000;
    /** docs/interop.md says why. */
    private static final String LIBFABRIC = "env FI_VERBS_GID_IDX=1 FI_UNIVERSE_SIZE=16 FI_OFI_RXM_CM_PROGRESS_INTERVAL=1000000 ";
    /** UCX sets up its connections over UD; over this list it uses nothing but our device. */
    static final String UCX = "env UCX_TLS=rc_verbs,ud_verbs,self UCX_NET_DEVICES=rxe0:1 ";
    /** Four ranks share few processors. */
    private static final String OPEN_MPI = "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun.openmpi --oversubscribe -np 4 "
        + "--mca mpi_yield_when_idle 1 ";
    static final String RIGHT = "ring and all-reduce of 4 ranks are right";
    /** A ring's largest message, 1 MiB, passes four links in packets of 64 KiB at most: what the ranks exchange, the device has sent. */
    private static final long RING_PACKETS = 4 * 16;
    private static final String SENT = "sent_pkts";
    private static final String[] MODES = {"one host", "two hosts"};
    /** Results by row and mode; they outlive one run, as those of {@link CProgramPairs}. */
    private static final Map<String, Map<String, String>> RESULTS = new LinkedHashMap<>();

    private VethPair wire;
    private int port = FIRST_PORT;
    private String running = "";

    /** How a server shows that it listens. */
    private enum Listens {
        /** At a TCP port, for the exchange of addresses. */
        BY_TCP,
        /** By the connection manager. */
        BY_CM
    }

    /**
     * A program and its two command lines: HOST stands for the server's address, PORT for a port, RSPRELOAD for the library, LAB for the
     * directory of the lab's programs, BUILT for that of those which were compiled.
     *
     * @param server empty if the client starts all processes, which then are on one host
     * @param word   of the output of a client whose data was right
     */
    private record Case(String name, String sentence, Listens listens, String server, String client, String word) {
        static Case libfabric(String provider, String type, String sentence) {
            String line = LIBFABRIC + "fi_pingpong -c -I 50 -p " + provider + " -e " + type;
            return new Case("fi_pingpong -p \"" + provider + "\" -e " + type, sentence, Listens.BY_TCP, line + " -B PORT",
                line + " -P PORT HOST", "=50");
        }

        static Case ucx(String test, String options, String sentence) {
            String line = UCX + "ucx_perftest -p PORT -w 10 -t " + test + ' ' + options;
            return new Case("ucx_perftest -t " + test, sentence, Listens.BY_TCP, line, line + " HOST", "Final:");
        }

        static Case fio(String verb, String server, String client, String sentence) {
            Program fio = Program.fio(verb, server, client);
            return new Case("fio --verb=" + verb, sentence, Listens.BY_CM, fio.server(), fio.client(), "err= 0");
        }

        boolean runs(String mode) {
            return !server.isEmpty() || mode.equals(MODES[0]);
        }

        /** Four ranks, which the client starts. */
        static Case mpi(String name, String sentence, String line) {
            return new Case(name, sentence, Listens.BY_TCP, "", line, RIGHT);
        }
    }

    private static final List<Case> CASES = List.of(
        Case.libfabric("verbs", "msg", "connections, data checked"),
        Case.libfabric("verbs;ofi_rxm", "rdm", "reliable datagrams over connections, data checked"),
        Case.libfabric("verbs", "dgram", "datagrams, data checked"),
        Case.libfabric("verbs;ofi_rxd", "rdm", "reliable datagrams over datagrams, data checked"),
        Case.ucx("tag_lat", "-n 200 -s 8", "tagged messages of 8 bytes"),
        Case.ucx("tag_bw", "-n 200 -s 65536", "tagged messages of 64 KiB, by rendezvous"),
        Case.ucx("ucp_put_bw", "-n 200 -s 65536", "WRITEs of 64 KiB"),
        Case.ucx("ucp_get", "-n 200 -s 65536", "READs of 64 KiB"),
        Case.ucx("ucp_am_bw", "-n 200 -s 4096", "active messages of 4 KiB"),
        Case.ucx("stream_bw", "-n 200 -s 4096", "streams"),
        Case.fio("write", "--size=32m --iodepth=8", "--size=32m --iodepth=8", "512 WRITEs of 64 KiB"),
        Case.fio("read", "--size=32m --iodepth=8", "--size=32m --iodepth=8", "512 READs of 64 KiB"),
        // docs/interop.md says why the server has a receive for each message before the first arrives.
        Case.fio("send", "--size=8m --iodepth=128 --verify=crc32c", "--size=8m --iodepth=8 --verify=crc32c --do_verify=0 "
            + "--verify_state_save=0", "128 SENDs of 64 KiB, their checksums verified"),
        Case.mpi("mpirun -np 4 --mca pml ucx", "Open MPI over UCX: a ring and an all-reduce, compared",
            UCX + OPEN_MPI + "--mca pml ucx --mca osc ucx --mca btl ^openib,ofi /usr/bin/python3 LAB/mpi-ring"),
        Case.mpi("mpirun -np 4 --mca mtl ofi", "Open MPI over libfabric (verbs;ofi_rxm): the same", LIBFABRIC + OPEN_MPI
            + "--mca pml cm --mca mtl ofi --mca mtl_ofi_provider_include verbs;ofi_rxm --mca btl self /usr/bin/python3 LAB/mpi-ring"),
        Case.mpi("mpirun.mpich -np 4", "MPICH over UCX: the same", UCX + "mpirun.mpich -np 4 BUILT/mpi-ring"),
        new Case("librpma", "64 WRITEs of 5000 bytes, each flushed and counted by an atomic write, compared on both ends", Listens.BY_CM,
            "BUILT/rpma-exchange server HOST PORT", "BUILT/rpma-exchange client HOST PORT", "64 blocks and the counter are right"),
        new Case("iperf3 on librspreload", "a TCP program on rsockets: 256 MiB", Listens.BY_CM,
            "env LD_PRELOAD=RSPRELOAD iperf3 -s -1 -p PORT -B HOST", "env LD_PRELOAD=RSPRELOAD iperf3 -c HOST -p PORT -n 256M",
            "iperf Done."),
        new Case("nc.traditional on librspreload", "16 MiB, their checksum compared", Listens.BY_CM,
            "env LIBRARY=RSPRELOAD LAB/netcat-compared receive PORT", "env LIBRARY=RSPRELOAD LAB/netcat-compared send HOST PORT",
            "the stream is sent"),
        new Case("qemu-system-x86_64 -incoming rdma:", "a virtual machine moves while it runs, its memory checked", Listens.BY_CM,
            "LAB/machine-moved receive BUILT/moving-machine HOST PORT", "LAB/machine-moved send BUILT/moving-machine HOST PORT",
            "the machine has moved"),
        new Case("ceph-mon, ceph-osd, rados", "a cluster with ms_type async+rdma: objects of 10 MB and 64 KiB, compared", Listens.BY_TCP,
            "LAB/ceph-stored serve HOST PORT", "LAB/ceph-stored store HOST PORT", "the objects are right"));

    @BeforeAll
    void connect() throws IOException {
        wire = new VethPair("applications", 1500);
        wire.addDevicesOf("rxe");
        LabProgram.compile("mpi-ring", wire.directory(), LabProgram.MPICH);
        LabProgram.compile("rpma-exchange", wire.directory(), LabProgram.COMPILER, "-lrpma", "-libverbs");
        LabProgram.compile("moving-machine", wire.directory(), LabProgram.COMPILER, "-m32", "-ffreestanding", "-nostdlib", "-static",
            "-fno-pic", "-fno-stack-protector", "-Wl,--build-id=none,-Ttext=0x100000");
    }

    @AfterAll
    void disconnect() {
        wire.stopDaemons();
        wire.close();
    }

    @TestFactory
    Stream<DynamicNode> shouldRunUnmodified() {
        List<DynamicNode> nodes = new ArrayList<>();
        for (String mode : MODES) {
            List<DynamicTest> tests = new ArrayList<>();
            for (Case each : CASES) {
                if (each.runs(mode)) {
                    Map<String, String> row = RESULTS.computeIfAbsent(each.name + " | " + each.sentence, _ -> new HashMap<>());
                    if (DocTable.isInThisRun("applications-" + mode + "-" + each.name, isRare(each, mode))) {
                        tests.add(dynamicTest(each.name, () -> {
                            row.put(mode, "failed");
                            run(each, mode);
                            row.put(mode, "passed");
                        }));
                    } else {
                        // As the last long run saw it; tables of chosen cases are not checked.
                        row.put(mode, "passed");
                    }
                }
            }
            nodes.add(dynamicContainer(mode, tests));
        }
        nodes.add(dynamicTest("docs/interop.md shows these applications", this::report));
        return nodes.stream();
    }

    /** On one host and on two, in turn; the first, whose data is checked, and those on rsockets are on both. */
    private static boolean isRare(Case program, String mode) {
        int index = CASES.indexOf(program);
        return !program.server.isEmpty() && index != 0 && !program.client.contains("RSPRELOAD") && !mode.equals(MODES[index % 2]);
    }

    private void run(Case program, String mode) throws Exception {
        VethPair.End serves = mode.equals(MODES[0]) ? wire.a : wire.b;
        if (!running.equals(mode)) {
            wire.stopDaemons();
            wire.a.tool("run", "--", "ibv_devinfo");
            serves.tool("run", "--", "ibv_devinfo");
            running = mode;
        }
        if (program.server.isEmpty()) {
            long before = counter(wire.a, SENT);
            runClient(program, serves, mode);
            long sent = counter(wire.a, SENT) - before;
            assertTrue(sent > RING_PACKETS, () -> "the device has sent " + sent + " packets only: the ranks have another way");
            return;
        }
        port++;
        try (RunningCommand server = CProgramPairs.start(serves, true, file(program, mode) + "-server",
                line(program.server, serves))) {
            if (program.listens == Listens.BY_CM) {
                CProgramPairs.awaitListener(serves, server, port);
            } else {
                serves.awaitListener(server, port);
            }
            runClient(program, serves, mode);
            server.awaitSuccess(DEADLINE);
        }
    }

    private void runClient(Case program, VethPair.End serves, String mode) throws IOException {
        try (RunningCommand client = CProgramPairs.start(wire.a, true, file(program, mode), line(program.client, serves))) {
            Ends.expect(client.awaitSuccess(DEADLINE), List.of(program.word));
        }
    }

    /** Returns a counter of the host's device. */
    static long counter(VethPair.End end, String name) {
        String counters = end.tool("rdma", "statistic", "show");
        Matcher value = Pattern.compile("\\b" + name + " (\\d+)").matcher(counters);
        assertTrue(value.find(), () -> "no counter " + name + ": " + counters);
        return Long.parseLong(value.group(1));
    }

    private static String file(Case program, String mode) {
        return (program.name + "-" + mode).replaceAll("[^A-Za-z0-9-]+", "-");
    }

    private String line(String template, VethPair.End server) throws IOException {
        return template.replace("HOST", server.ipv4).replace("PORT", Integer.toString(port))
            .replace("RSPRELOAD", template.contains("RSPRELOAD") ? preloaded().toString() : "")
            .replace("LAB", KernelLab.module().resolve("lab").toString()).replace("BUILT", wire.directory().toString());
    }

    /** The library is in the directory of the host's architecture. */
    private static Path preloaded() throws IOException {
        try (DirectoryStream<Path> architectures = Files.newDirectoryStream(Path.of("/usr/lib"), "*-linux-gnu")) {
            for (Path each : architectures) {
                Path library = each.resolve("rsocket/librspreload.so");
                if (Files.exists(library)) {
                    return library;
                }
            }
        }
        throw new AssertionError("librspreload.so is not installed; interop-tests/lab/install installs what these tests need");
    }

    private void report() throws IOException {
        DocTable.checkModes("c-applications", List.of(MODES), RESULTS);
    }
}
