// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.host.config.LinkOption;
import org.softrdma.host.config.LinkStore;
import org.softrdma.link.fault.LinkFaults;
import org.softrdma.rxe.config.RxeLinkType;

/** Tools as separate processes, over real sockets on the loopback. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class EndToEndTest extends ToolProcesses {
    private static final Pattern ADDRESS = Pattern.compile(
        "LID 0x0000, QPN 0x[0-9a-f]{6}, PSN 0x[0-9a-f]{6}, GID ::ffff:127\\.[0-9.]+");

    private static final Pattern XRC_ADDRESS = Pattern.compile("   local: LID 0000, QPN RECV [0-9a-f]{6} SEND [0-9a-f]{6}, "
        + "PSN [0-9a-f]{6}, SRQN 000001, GID ::ffff:127\\.[0-9.]+");

    @BeforeEach
    void configure() {
        addLink("rxe0", "rxe");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "-g 1", "-g 1 -e", "-g 1 -c -s 100000 -n 20", "-g 1 -s 1 -n 50 -r 2", "-g 1 -s 33 -m 256 -n 50",
        "-g 1 -m 4096 -s 1048576 -n 5 -e -c", "-g 1 -n 1"})
    void shouldPlayPingPongBetweenTwoProcesses(String options) throws Exception {
        shouldPlay("ibv_rc_pingpong", options);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-g 1", "-g 1 -e", "-g 1 -c -s 20000 -n 20", "-g 1 -s 1 -n 50 -r 2", "-g 1 -s 33 -m 256 -n 50"})
    void shouldPlayPingPongOverUnreliableConnections(String options) throws Exception {
        shouldPlay("ibv_uc_pingpong", options);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-g 1", "-g 1 -e", "-g 1 -c -s 4096 -n 20", "-g 1 -s 1 -n 50 -r 2"})
    void shouldPlayPingPongWithDatagrams(String options) throws Exception {
        shouldPlay("ibv_ud_pingpong", options);
    }

    @Test
    void shouldPrintNothingButJson() throws Exception {
        Pair pair = pingPong("ibv_rc_pingpong", "-g 1 -s 5000 -n 20 -c --json", "-g 1 -s 5000 -n 20 --json");

        assertEquals(0, pair.client().exitCode(), pair.toString());
        String numbers = "\"seconds\": [0-9]+\\.[0-9]{6}, \"Mbit_per_sec\": [0-9]+\\.[0-9]{2}, \"usec_per_iter\": [0-9]+\\.[0-9]{2}, ";
        String pattern = "\\{\"test_info\": \\{\"test\": \"RC_pingpong\", \"Device\": \"rxe0\", \"Number_of_qps\": 1, \"RX_depth\": 500, "
            + "\"GID_index\": 1\\}, \"results\": \\{\"MsgSize\": 5000, \"n_iterations\": 20, " + numbers + "\"invalid_pages\": %d\\}\\}\n";
        assertTrue(pair.client().out().matches(pattern.formatted(0)), pair.toString());
        // The client marks no pages without -c.
        assertTrue(pair.server().out().matches(pattern.formatted(2)), pair.toString());
    }

    /** Checks that each end prints its own queue pairs in order, and those of the other end. */
    @ParameterizedTest
    @CsvSource({"-g 1,16", "-g 1 -e,16", "-g 1 -c -s 20000 -n 100 -q 3,3", "-g 1 -q 1 -r 1 -n 50,1", "-g 1 -q 255 -n 600,255",
        "-g 1 -s 33 -m 256 -n 5 -r 16,16"})
    void shouldPlayPingPongOnASharedReceiveQueue(String options, int queuePairs) throws Exception {
        Pair pair = pingPong("ibv_srq_pingpong", options, options);

        assertEquals(0, pair.server().exitCode(), pair.toString());
        assertEquals(0, pair.client().exitCode(), pair.toString());
        assertEquals("", pair.server().err());
        List<String> server = pair.server().out().lines().toList();
        List<String> client = pair.client().out().lines().toList();
        assertEquals(2 * queuePairs + 2, server.size(), pair.toString());
        assertEquals(2 * queuePairs + 2, client.size(), pair.toString());
        for (int i = 0; i < queuePairs; i++) {
            String address = server.get(i).replace("  local address:  ", "");
            assertTrue(ADDRESS.matcher(address).matches(), server.get(i));
            assertEquals("  remote address: " + address, client.get(queuePairs + i));
            assertEquals(client.get(i).replace("  local address:  ", "  remote address: "), server.get(queuePairs + i));
        }
        assertTrue(server.get(2 * queuePairs).matches("[0-9]+ bytes in [0-9.]+ seconds = [0-9.]+ Mbit/sec"), pair.toString());
        assertTrue(server.getLast().matches("[0-9]+ iters in [0-9.]+ seconds = [0-9.]+ usec/iter"), pair.toString());
    }

    /** One client only: others would have to share its XRC domain, and so its process. */
    @ParameterizedTest
    @ValueSource(strings = {"-g 1", "-g 1 -e", "-g 1 -n 500 -s 20000", "-g 1 -m 256 -s 1 -n 1", "-g 1 -m 4096 -s 1048576 -n 3 -e"})
    void shouldPlayPingPongOverXrc(String options) throws Exception {
        Pair pair = pingPong("ibv_xsrq_pingpong", options, options);

        assertEquals(0, pair.server().exitCode(), pair.toString());
        assertEquals(0, pair.client().exitCode(), pair.toString());
        assertEquals("", pair.server().err());
        assertEquals("", pair.client().err());
        List<String> server = pair.server().out().lines().toList();
        List<String> client = pair.client().out().lines().toList();
        assertEquals(List.of(3, 3), List.of(server.size(), client.size()), pair.toString());
        assertTrue(XRC_ADDRESS.matcher(client.get(0)).matches(), client.get(0));
        assertEquals(client.get(0).replace("   local:", "  remote:"), server.get(0));
        assertEquals(client.get(1).replace("  remote:", "   local:"), server.get(1));
        assertEquals(List.of("success", "success"), List.of(server.get(2), client.get(2)));
    }

    private void shouldPlay(String tool, String options) throws Exception {
        Pair pair = pingPong(tool, options, options);

        assertEquals(0, pair.server().exitCode(), pair.toString());
        assertEquals(0, pair.client().exitCode(), pair.toString());
        assertEquals("", pair.server().err());
        List<String> server = pair.server().out().lines().toList();
        List<String> client = pair.client().out().lines().toList();
        assertEquals(4, server.size(), pair.toString());
        assertEquals(4, client.size(), pair.toString());
        // The original for UD has a colon in its local line.
        String comma = tool.equals("ibv_ud_pingpong") ? ": GID" : ", GID";
        assertTrue(server.get(0).contains(comma), server.get(0));
        String serverAddress = server.get(0).replace("  local address:  ", "").replace(comma, ", GID");
        assertTrue(ADDRESS.matcher(serverAddress).matches(), server.get(0));
        assertEquals(serverAddress, client.get(1).replace("  remote address: ", ""));
        assertEquals(client.get(0).replace("  local address:  ", "").replace(comma, ", GID"),
            server.get(1).replace("  remote address: ", ""));
        assertTrue(server.get(2).matches("[0-9]+ bytes in [0-9.]+ seconds = [0-9.]+ Mbit/sec"), server.get(2));
        assertTrue(server.get(3).matches("[0-9]+ iters in [0-9.]+ seconds = [0-9.]+ usec/iter"), server.get(3));
    }

    /** Both ends read the same file: packets of both are lost, duplicated and reordered, and the data are correct nevertheless. */
    @Test
    void shouldPlayPingPongOnABadWire() throws Exception {
        LinkStore.at(directory).set("rxe0", RxeLinkType.FAULT, LinkFaults.parse("drop=0.02,duplicate=0.1,reorder=0.1:100us,delay=10us"));

        Pair pair = pingPong("ibv_rc_pingpong", "-g 1 -c -s 20000 -n 50 -r 60", "-g 1 -c -s 20000 -n 50 -r 60");

        assertEquals(0, pair.server().exitCode(), pair.toString());
        assertEquals(0, pair.client().exitCode(), pair.toString());
        assertFalse(pair.server().out().contains("invalid data"), pair.toString());
        String warning = "rxe0: opened with link faults: drop=0.02,duplicate=0.1,reorder=0.1:100us,delay=10us,seed=1";
        assertTrue(pair.server().err().contains(warning), pair.toString());
        assertTrue(pair.client().err().contains(warning), pair.toString());
    }

    /** Without -c the client does not mark its pages: the server reports the fill bytes, and still exits with 0. */
    @Test
    void shouldReportInvalidDataWhenOnlyTheServerChecks() throws Exception {
        Pair pair = pingPong("ibv_rc_pingpong", "-g 1 -s 4096 -n 10 -c", "-g 1 -s 4096 -n 10");

        assertEquals(0, pair.server().exitCode(), pair.toString());
        assertEquals("invalid data in page 0", pair.server().out().lines().toList().getLast());
    }

    @Test
    void shouldSayThatEthernetNeedsAGid() throws Exception {
        Pair pair = pingPong("ibv_rc_pingpong", "-n 1", "-n 1");

        assertEquals(1, pair.server().exitCode(), pair.toString());
        assertEquals(1, pair.client().exitCode(), pair.toString());
        assertTrue(pair.server().err().startsWith("Failed to modify QP to RTR\n"), pair.server().err());
        assertTrue(pair.server().err().contains("-g 1"), pair.server().err());
        assertTrue(pair.server().err().endsWith("Couldn't connect to remote QP\n"), pair.server().err());
        assertTrue(pair.client().err().startsWith("client read/write: "), pair.client().err());
        assertTrue(pair.server().out().contains("GID ::\n"), pair.server().out());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "-o,The device isn't ODP capable or does not support RC send and receive with ODP",
        "-t,The device isn't completion timestamp capable",
        "-j,Device doesn't support dm allocation",
        "-g 100000,can't read sgid of index 100000",
        "-i 2,Failed to modify QP to INIT",
        "-s -1,Couldn't allocate work buf.",
        "-r -5,Couldn't create CQ"})
    void shouldRefuseWhatTheDeviceDoesNotHave(String optionsAndMessage) throws Exception {
        String[] parts = optionsAndMessage.split(",", 2);

        shouldFail("ibv_rc_pingpong " + parts[0], parts[1]);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "ibv_uc_pingpong -i 2,Failed to modify QP to INIT",
        "ibv_srq_pingpong -i 2,Failed to modify QP[0] to INIT",
        "ibv_srq_pingpong -o,The device isn't ODP capable or does not support RC send, receive and srq with ODP",
        "ibv_srq_pingpong -g 100000,Could not get local gid for gid index 100000",
        "ibv_srq_pingpong -r 40000,Couldn't create CQ",
        "ibv_xsrq_pingpong -o,The device isn't ODP capable or does not support XRC send, receive and srq with ODP",
        "ibv_xsrq_pingpong -i 2,Failed to get port info",
        "ibv_xsrq_pingpong -c 40000,Couldn't create recv CQ",
        "ibv_xsrq_pingpong -n -1,Couldn't create send QP[0]",
        "ibv_xsrq_pingpong -d nosuchdevice,IB device nosuchdevice not found",
        "ibv_ud_pingpong -s 4097,Requested size larger than port MTU (4096)",
        "ibv_ud_pingpong -s -1,Requested size larger than port MTU (4096)",
        "ibv_ud_pingpong -i 2,Unable to query port info for port 2"})
    void shouldRefuseWhatTheServiceDoesNotHave(String commandAndMessage) throws Exception {
        String[] parts = commandAndMessage.split(",", 2);

        shouldFail(parts[0], parts[1]);
    }

    private void shouldFail(String command, String message) throws Exception {
        Ended ended = start(command).await();

        assertEquals(1, ended.exitCode(), ended.toString());
        assertEquals(message, ended.err().lines().findFirst().orElse(""), ended.toString());
        assertEquals("", ended.out());
    }

    @Test
    void shouldListTheConfiguredDevices() throws Exception {
        assertEquals("    device          \t   node GUID\n    ------          \t----------------\n    rxe0            \t020000fffe000000\n",
            start("ibv_devices").await().out());
        Ended details = start("rdma -d dev").await();
        assertTrue(details.out().startsWith("0: rxe0: node_type ca node_guid 0200:00ff:fe00:0000 sys_image_guid 0200:00ff:fe00:0000 "
            + "adaptive-moderation off \n    caps: <"), details.toString());
    }

    /** Another process of the same user sees the objects of a waiting server until it ends. */
    @Test
    void shouldShowWhatARunningProcessHas() throws Exception {
        Started server = start("ibv_rc_pingpong -g 1 -p " + freePort());
        try {
            String queuePairs;
            do {
                queuePairs = resources("show qp").out();
            } while (!queuePairs.contains(" state INIT ") && server.process().isAlive());
            assertTrue(queuePairs.matches("link rxe0/1 lqpn \\d+ rqpn 0 type RC state INIT rq-psn 0 sq-psn 0 path-mig-state MIGRATED pdn 1 "
                + "pid " + server.process().pid() + " comm ibv_rc_pingpong \n"), queuePairs);
            assertEquals("0: rxe0: pd 1 cq 1 qp 1 cm_id 0 mr 1 ctx 1 srq 0 \n", resources("").out());
            assertTrue(resources("show mr").out().matches(
                "dev rxe0 mrn \\d+ rkey 0x0 lkey 0x[0-9a-f]+ mrlen 4096 pdn 1 pid \\d+ comm ibv_rc_pingpong \n"));
        } finally {
            server.process().destroyForcibly().waitFor();
        }
        assertEquals(new Ended(0, "0: rxe0: pd 0 cq 0 qp 0 cm_id 0 mr 0 ctx 0 srq 0 \n", ""), resources(""));
    }

    /** Another process of the same user reads what a waiting server has recorded, as text and as files. */
    @Test
    void shouldRecordWhatARunningProcessDid() throws Exception {
        Started server = start("ibv_rc_pingpong -g 1 -p " + freePort());
        String lqpn;
        try {
            do {
                lqpn = resources("show qp").out().replaceFirst("(?s).* lqpn (\\d+) .* state INIT .*", "$1").strip();
            } while (!lqpn.matches("\\d+") && server.process().isAlive());
            Ended text = start("rdma record link rxe0 lqpn " + lqpn).await();
            assertEquals(0, text.exitCode(), text.toString());
            String end = "rxe0 qp 0x" + Integer.toHexString(Integer.parseInt(lqpn)) + ": ";
            assertTrue(text.out().startsWith(end + "RC, state INIT, pid " + server.process().pid() + ", "), text.out());
            assertTrue(text.out().contains(" " + end + "state RESET > INIT\n"), text.out());
            Path lines = directory.resolve("why.jsonl");
            Ended json = start("rdma record file " + lines).await();
            assertTrue(json.out().matches("\\d+ events of \\d+ ends in " + Pattern.quote(lines.toString()) + "\n"), json.toString());
            assertTrue(Files.readString(lines).startsWith("{\"softrdma_recording\":1,"), Files.readString(lines));
            Path capture = directory.resolve("why.pcapng");
            assertEquals(0, start("rdma record link rxe0 file " + capture).await().exitCode());
            assertEquals(0x0a0d0d0a, ByteBuffer.wrap(Files.readAllBytes(capture)).getInt(), "block type of a section header of pcapng");
        } finally {
            server.process().destroyForcibly().waitFor();
        }
        Ended nothing = start("rdma record").await();
        assertEquals(1, nothing.exitCode());
        assertTrue(nothing.err().startsWith("rdma: nothing was recorded: "), nothing.err());
    }

    /** The limit is that of the process, as with an adapter whose driver pins registered memory; privileged processes have none. */
    @Test
    void shouldRefuseMemoryBeyondTheLimitIfAsked() throws Exception {
        boolean root = System.getProperty("user.name").equals("root");
        List<String> limited = root ? List.of("setpriv", "--bounding-set=-ipc_lock", "prlimit", "--memlock=65536:65536")
            : List.of("prlimit", "--memlock=65536:65536");
        assumeTrue(limited.stream().filter(word -> !word.startsWith("--")).allMatch(word -> Files.isExecutable(Path.of("/usr/bin", word))),
            "needs setpriv and prlimit of util-linux");
        LinkStore.at(directory).set("rxe0", LinkOption.MEMLOCK, true);

        Ended tooMuch = start(limited, "ibv_rc_pingpong -g 1 -s 65537 -p " + freePort()).await();

        assertEquals(1, tooMuch.exitCode(), tooMuch.toString());
        assertEquals("Couldn't register MR", tooMuch.err().lines().findFirst().orElse(""), tooMuch.toString());
        assertTrue(tooMuch.err().contains("reg_mr: Cannot allocate memory (ENOMEM): 68 KiB of pages, 0 KiB are pinned already, and this "
            + "process may pin 64 KiB. `ulimit -l unlimited` raises that"), tooMuch.err());

        // A registration below the limit succeeds: the tool waits for a client.
        Started fits = start(limited, "ibv_rc_pingpong -g 1 -s 65536 -p " + freePort());
        try {
            String regions;
            do {
                regions = resources("show mr").out();
            } while (regions.isEmpty() && fits.process().isAlive());
            assertTrue(regions.contains(" mrlen 65536 "), regions + Files.readString(fits.err()));
        } finally {
            fits.process().destroyForcibly();
        }
    }

    @Test
    void shouldShowEveryOperationWithRightData() throws Exception {
        Ended demo = start("demo --seed 42").await();

        assertEquals(0, demo.exitCode(), demo.toString());
        assertEquals("", demo.err());
        assertEquals(14, demo.out().lines().filter(line -> line.contains("✓")).count(), demo.out());
        assertTrue(demo.out().contains("All data was right"), demo.out());
    }

    private Pair pingPong(String tool, String serverOptions, String clientOptions) throws Exception {
        return pair(tool + " " + serverOptions, tool + " " + clientOptions);
    }
}
