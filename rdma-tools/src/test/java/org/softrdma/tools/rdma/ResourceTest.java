// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.host.config.LinkStore;
import org.softrdma.host.inspect.ProcessReport;
import org.softrdma.host.inspect.ReportBuilder;
import org.softrdma.host.inspect.Resource;
import org.softrdma.host.inspect.ResourceKind;
import org.softrdma.tools.ToolRun;

/**
 * The lines are those that {@code rdma} of iproute2 6.1 printed on Linux 6.1 while ibv_rc_pingpong, ibv_ud_pingpong, ibv_srq_pingpong,
 * rping and ucmatose had what the reports here say they have. Left out are the kernel's own objects, which bear the name ib_core.
 */
class ResourceTest {
    @TempDir
    private Path directory;
    private LinkStore store;
    private final List<ProcessReport> processes = List.of(rcPingPong(), udPingPong(), srqPingPong(), rping(), ucmatose());

    @BeforeEach
    void configure() throws IOException {
        store = LinkStore.at(directory);
        Files.writeString(store.file(), "link rxe0 type rxe netdev gone0\nlink siw0 type siw netdev gone0\n");
    }

    private static ProcessReport rcPingPong() {
        ReportBuilder report = new ReportBuilder();
        report.device("rxe0").add(rcQp(17, 0, "INIT", 0, 0).with("pdn", 1));
        report.device("rxe0").add(cq(1, 511, 2, 6));
        report.device("rxe0").add(mr(0, 0, 0x2e1, 4096, 1));
        report.device("rxe0").add(Resource.of(ResourceKind.PD).with("pdn", 1).withKey("local_dma_lkey", 0).with("users", 2)
            .with("ctxn", 6));
        report.device("rxe0").add(Resource.of(ResourceKind.CTX).with("ctxn", 6));
        report.device("rxe0").counters(Map.of("sent_pkts", 10L, "drop_bad_icrc", 2L, "ghost_acks", 0L));
        return report.build(557, "ibv_rc_pingpong");
    }

    private static ProcessReport udPingPong() {
        ReportBuilder report = new ReportBuilder();
        report.device("rxe0").add(Resource.of(ResourceKind.QP).with("lqpn", 18).with("type", "UD").with("state", "INIT").with("sq-psn", 0)
            .with("pdn", 2));
        report.device("rxe0").counters(Map.of("sent_pkts", 32L, "rdma_sends", 7L));
        return report.build(559, "ibv_ud_pingpong");
    }

    private static ProcessReport srqPingPong() {
        ReportBuilder report = new ReportBuilder();
        IntStream.rangeClosed(19, 34).forEach(
            qpn -> report.device("rxe0").add(rcQp(qpn, 0, "INIT", 0, 0).with("srqn", 0).with("pdn", 3)));
        report.device("rxe0").add(cq(3, 1023, 32, 8));
        report.device("rxe0").add(Resource.of(ResourceKind.SRQ).with("srqn", 0).with("type", "BASIC").with("pdn", 3));
        return report.build(558, "ibv_srq_pingpon");
    }

    private static ProcessReport rping() {
        ReportBuilder report = new ReportBuilder();
        report.device("rxe0").add(rcQp(35, 36, "RTS", 16066476, 1318512).with("pdn", 5));
        report.device("rxe0").add(mr(5, 0x7bb, 0x7bb, 64, 5));
        for (String device : List.of("rxe0", "siw0")) {
            report.device(device).add(Resource.of(ResourceKind.CM_ID).with("wildcard", 1).with("cm-idn", 0).with("state", "LISTEN")
                .with("ps", "TCP").with("src-addr", "0.0.0.0:7174"));
        }
        report.device("rxe0").add(Resource.of(ResourceKind.CM_ID).with("cm-idn", 1).with("lqpn", 35).with("qp-type", "RC")
            .with("state", "CONNECT").with("ps", "TCP").with("src-addr", "10.77.0.2:51562").with("dst-addr", "10.77.0.2:7174"));
        return report.build(562, "rping");
    }

    private static ProcessReport ucmatose() {
        ReportBuilder report = new ReportBuilder();
        report.device("rxe0").add(Resource.of(ResourceKind.CM_ID).with("cm-idn", 3).with("state", "LISTEN").with("ps", "TCP")
            .with("src-addr", "10.77.0.2:7471").with("dst-addr", "0.0.0.0:0"));
        return report.build(563, "ucmatose");
    }

    private static Resource rcQp(int qpn, int peer, String state, int rqPsn, int sqPsn) {
        return Resource.of(ResourceKind.QP).with("lqpn", qpn).with("rqpn", peer).with("type", "RC").with("state", state)
            .with("rq-psn", rqPsn).with("sq-psn", sqPsn).with("path-mig-state", "MIGRATED");
    }

    private static Resource cq(int number, int cqe, int users, int context) {
        return Resource.of(ResourceKind.CQ).with("cqn", number).with("cqe", cqe).with("users", users).with("ctxn", context);
    }

    private static Resource mr(int number, int rkey, int lkey, int length, int pd) {
        return Resource.of(ResourceKind.MR).with("mrn", number).withKey("rkey", rkey).withKey("lkey", lkey).with("mrlen", length)
            .with("pdn", pd);
    }

    @Test
    void shouldCountOverAllProcesses() {
        String expected = "0: rxe0: pd 1 cq 2 qp 19 cm_id 3 mr 2 ctx 1 srq 1 \n";

        assertEquals(expected + "1: siw0: pd 0 cq 0 qp 0 cm_id 1 mr 0 ctx 0 srq 0 \n", run("resource"));
        assertEquals(expected, run("res show rxe0"));
        assertEquals("[{\"ifindex\":1,\"ifname\":\"siw0\",\"pd\":0,\"cq\":0,\"qp\":0,\"cm_id\":1,\"mr\":0,\"ctx\":0,\"srq\":0}]\n",
            run("-j resource show siw0"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "qp lqpn 17 | link rxe0/1 lqpn 17 rqpn 0 type RC state INIT rq-psn 0 sq-psn 0 path-mig-state MIGRATED pdn 1 pid 557 "
            + "comm ibv_rc_pingpong ",
        "qp link rxe0/1 type ud | link rxe0/1 lqpn 18 type UD state INIT sq-psn 0 pdn 2 pid 559 comm ibv_ud_pingpong ",
        "qp link rxe0 state RTS,SQD | link rxe0/1 lqpn 35 rqpn 36 type RC state RTS rq-psn 16066476 sq-psn 1318512 path-mig-state MIGRATED "
            + "pdn 5 pid 562 comm rping ",
        "qp lqpn 18-18 | link rxe0/1 lqpn 18 type UD state INIT sq-psn 0 pdn 2 pid 559 comm ibv_ud_pingpong ",
        "cq dev rxe0 cqn 3 | dev rxe0 cqn 3 cqe 1023 users 32 adaptive-moderation off ctxn 8 pid 558 comm ibv_srq_pingpon ",
        "mr lkey 0x2e1 | dev rxe0 mrn 0 rkey 0x0 lkey 0x2e1 mrlen 4096 pdn 1 pid 557 comm ibv_rc_pingpong ",
        "mr dev rxe0 mrlen 0-1000 | dev rxe0 mrn 5 rkey 0x7bb lkey 0x7bb mrlen 64 pdn 5 pid 562 comm rping ",
        "pd | dev rxe0 pdn 1 local_dma_lkey 0x0 users 2 ctxn 6 pid 557 comm ibv_rc_pingpong ",
        "ctx | dev rxe0 ctxn 6 pid 557 comm ibv_rc_pingpong ",
        "cm_id state connect | link rxe0/1 cm-idn 1 lqpn 35 qp-type RC state CONNECT ps TCP pid 562 comm rping src-addr 10.77.0.2:51562 "
            + "dst-addr 10.77.0.2:7174 ",
        "cm_id dst-addr 10.77.0.2 dst-port 7174 | link rxe0/1 cm-idn 1 lqpn 35 qp-type RC state CONNECT ps TCP pid 562 comm rping "
            + "src-addr 10.77.0.2:51562 dst-addr 10.77.0.2:7174 ",
        "cm_id link siw0 | link siw0/- cm-idn 0 state LISTEN ps TCP pid 562 comm rping src-addr 0.0.0.0:7174 ",
        "cm_id src-port 7471 | link rxe0/1 cm-idn 3 state LISTEN ps TCP pid 563 comm ucmatose src-addr 10.77.0.2:7471 "
            + "dst-addr 0.0.0.0:0 ",
        // The original prints the numbers once more where the name of the process should be.
        "srq | dev rxe0 srqn 0 type BASIC lqpn 19-34 pdn 3 pid 558 comm ibv_srq_pingpon "})
    void shouldPrintTheLineOfTheOriginal(String asked, String line) {
        assertEquals(line.stripTrailing() + " \n", run("resource show " + asked));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "qp lqpn 17 | [{\"ifindex\":0,\"ifname\":\"rxe0\",\"port\":1,\"lqpn\":17,\"rqpn\":0,\"type\":\"RC\",\"state\":\"INIT\","
            + "\"rq-psn\":0,\"sq-psn\":0,\"path-mig-state\":\"MIGRATED\",\"pdn\":1,\"pid\":557,\"comm\":\"ibv_rc_pingpong\"}]",
        "mr mrn 5   | [{\"ifindex\":0,\"ifname\":\"rxe0\",\"mrn\":5,\"rkey\":\"7bb\",\"lkey\":\"7bb\",\"mrlen\":64,\"pdn\":5,\"pid\":562,"
            + "\"comm\":\"rping\"}]",
        "cq cqn 1   | [{\"ifindex\":0,\"ifname\":\"rxe0\",\"cqn\":1,\"cqe\":511,\"users\":2,\"adaptive-moderation\":false,\"ctxn\":6,"
            + "\"pid\":557,\"comm\":\"ibv_rc_pingpong\"}]",
        "cm_id link siw0 | [{\"ifindex\":1,\"ifname\":\"siw0\",\"cm-idn\":0,\"state\":\"LISTEN\",\"ps\":\"TCP\",\"pid\":562,"
            + "\"comm\":\"rping\",\"src-addr\":\"0.0.0.0:7174\"}]",
        "srq        | [{\"ifindex\":0,\"ifname\":\"rxe0\",\"srqn\":0,\"type\":\"BASIC\",\"lqpn\":[\"19-34\"],\"pdn\":3,\"pid\":558,"
            + "\"comm\":\"ibv_srq_pingpon\"}]",
        "qp lqpn 99 | []"})
    void shouldPrintTheJsonOfTheOriginal(String asked, String json) {
        assertEquals(json + "\n", run("-j resource show " + asked));
    }

    @Test
    void shouldPrintPrettyJson() {
        assertEquals("""
            [ {
                    "ifindex": 0,
                    "ifname": "rxe0",
                    "srqn": 0,
                    "type": "BASIC",
                    "lqpn": [ "19-34" ],
                    "pdn": 3,
                    "pid": 558,
                    "comm": "ibv_srq_pingpon"
                } ]
            """, run("-j -p resource show srq"));
    }

    @Test
    void shouldSortByProcessAndNumber() {
        assertEquals(19, run("resource show qp").lines().count());
        List<String> numbers = run("resource show qp").lines().map(line -> line.split(" ")[3]).toList();
        // By process: 557, 558, 559, 562.
        assertEquals(List.of("17", "19", "20"), numbers.subList(0, 3));
        assertEquals(List.of("34", "18", "35"), numbers.subList(16, 19));
    }

    /** The kernel's names always, in its order; ours if there is something to tell. */
    @Test
    void shouldAddUpCounters() {
        String kernels = "sent_pkts 42 rcvd_pkts 0 duplicate_request 0 out_of_seq_request 0 rcvd_rnr_err 0 send_rnr_err 0 rcvd_seq_err 0 "
            + "ack_deferred 0 retry_exceeded_err 0 retry_rnr_exceeded_err 0 completer_retry_err 0 send_err 0 link_downed 0 rdma_sends 7 "
            + "rdma_recvs 0 ";

        assertEquals("link rxe0/1 " + kernels + "drop_bad_icrc 2 \n", run("statistic show link rxe0/1"));
        assertEquals("link rxe0/1 " + kernels + "drop_bad_icrc 2 \nlink siw0/1 \n", run("stat"));
        assertEquals(2, run("-d statistic show link rxe0").split("drop_bad_icrc 2|ghost_acks 0").length - 1);
        assertEquals("", run("statistic qp show"));
        assertEquals("link rxe0/1 mode qp auto off \nlink siw0/1 mode qp auto off \n", run("statistic qp mode"));
    }

    @ParameterizedTest
    @CsvSource({"system", "system show", "system show netns", "-j system", "-d system", "-j -p system"})
    void shouldShowTheSystem(String line) {
        assertEquals("netns shared copy-on-fork on\n", run(line));
    }

    @Test
    void shouldNameProcessesThatDoNotAnswer() {
        ToolRun run = ToolRun.of(console -> new Rdma(store, problems -> {
            problems.accept("process 7 does not respond");
            return List.of();
        }).run("rdma", List.of("resource", "show", "qp"), console));

        assertEquals(new ToolRun(0, "", "rdma: process 7 does not respond\n"), run);
    }

    private String run(String line) {
        ToolRun run = ToolRun.of(console -> new Rdma(store, problems -> processes).run("rdma", List.of(line.split(" ")), console));
        assertEquals("", run.err());
        assertEquals(0, run.exitCode());
        return run.out();
    }
}
