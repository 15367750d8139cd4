// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Programs of two processes that connect by address over a fabric of ours; Wireshark judges the datagrams by which they do. */
@Timeout(300)
class FabricAddressesTest {
    @RegisterExtension
    static final TsharkExtension TSHARK = new TsharkExtension();

    private static final Duration SHORTLY = FabricLab.SHORTLY;

    private FabricLab lab;
    private Path captures;

    @BeforeEach
    void begin() throws IOException {
        lab = new FabricLab("addresses");
        captures = Files.createDirectory(lab.directory().resolve("captures"));
        lab.runThreeHosts();
        setAddresses("ib0", "10.9.0.1/24,fd09::1/64");
        setAddresses("ib1", "10.9.0.2/24,fd09::2/64");
    }

    private void setAddresses(String device, String addresses) {
        lab.execute("rdma", "link", "set", device, "addr", addresses);
    }

    @AfterEach
    void end() {
        lab.close();
    }

    /**
     * Runs both ends, which must succeed: the server with the device of the first host, the client with all of them.
     *
     * @return output of the server and of the client
     */
    private List<String> meet(String server, String client) {
        try (RunningCommand one = lab.softrdma(Map.of("SOFTRDMA_CM_DEVICES", "ib0"), server.split(" "))) {
            awaitListener(one);
            try (RunningCommand two = lab.softrdma(Map.of("SOFTRDMA_CAPTURE_DIR", captures.toString()), client.split(" "))) {
                String ofClient = two.awaitSuccess(SHORTLY);
                return List.of(one.awaitSuccess(SHORTLY), ofClient);
            }
        }
    }

    private void awaitListener(RunningCommand server) {
        long untilNs = System.nanoTime() + SHORTLY.toNanos();
        while (!lab.execute("rdma", "resource", "show", "cm_id").contains(" state LISTEN ")) {
            assertTrue(server.isRunning() && System.nanoTime() - untilNs < 0, server.output());
        }
    }

    @Test
    void shouldConnectByPathRecord() throws Exception {
        List<String> both = meet("rping -s -a 10.9.0.1 -C 5 -v", "rping -c -a 10.9.0.1 -I 10.9.0.2 -C 5 -v");
        assertTrue(both.get(0).contains("server ping data: rdma-ping-4: EFGHIJ"), both.get(0));
        assertTrue(both.get(1).contains("ping data: rdma-ping-4: EFGHIJ"), both.get(1));
        Path capture;
        try (DirectoryStream<Path> found = Files.newDirectoryStream(captures, "ib1-*.pcapng")) {
            capture = found.iterator().next();
        }
        assertEquals(List.of(), Tshark.fields(capture, "_ws.malformed").stream().filter(line -> !line.isBlank()).toList());
        List<String> lids = lab.execute("rdma", "link", "show").lines().map(line -> line.replaceFirst(".* lid (\\d+) .*", "$1")).toList();
        // MTU 4096, which all ports have.
        assertEquals(List.of("0x01\t" + lids.get(1) + "\t" + lids.get(0) + "\t0x05"), present(capture, "infiniband.cm.req.prim_subnetlocal",
            "infiniband.cm.req.prim_locallid", "infiniband.cm.req.prim_remotelid", "infiniband.cm.req.pppmtu"));
        assertEquals(List.of("10.9.0.1", "10.9.0.2"), present(capture, "arp.dst.proto_ipv4"));
        assertTrue(!present(capture, "infiniband.pathrecord.dgid").isEmpty(), "no PathRecord");
    }

    private static List<String> present(Path capture, String... fields) throws Exception {
        return Tshark.fields(capture, fields).stream().filter(line -> !line.isBlank()).toList();
    }

    @Test
    void shouldServeTheToolsByAddress() {
        meet("rping -s -a fd09::1 -C 5 -v", "rping -c -a fd09::1 -I fd09::2 -C 5 -v");
        meet("ucmatose -b 10.9.0.1 -c 20", "ucmatose -b 10.9.0.2 -s 10.9.0.1 -c 20");
        List<String> both = meet("ib_write_bw -R -d ib0 -n 1000", "ib_write_bw -R -d ib1 -n 1000 10.9.0.1");
        assertTrue(both.get(1).lines().anyMatch(line -> line.matches(" 65536 +1000 .*")), both.get(1));
    }

    @Test
    void shouldSayWhyNobodyAnswers() {
        try (RunningCommand client = lab.softrdma("rping", "-c", "-a", "10.9.0.77", "-I", "10.9.0.2")) {
            assertTrue(client.awaitExit(SHORTLY) != 0 && client.output().contains("no port answers for 10.9.0.77"), client.output());
        }
    }
}
