// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** qperf as two processes, over real sockets on the loopback: every test measures something. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class QPerfEndToEndTest extends ToolProcesses {
    private static final String NUMBER = "[0-9][0-9,.]* ";

    private int port;

    @BeforeEach
    void configure() throws IOException {
        addLink("rxe0", "rxe");
        port = freePort();
    }

    @Test
    void shouldMeasureSockets() throws Exception {
        shouldMeasure("-t 1", "tcp_bw tcp_lat udp_bw udp_lat");
    }

    @Test
    void shouldMeasureConnectionsByAddress() throws Exception {
        shouldMeasure("-t 1 -cm1", "rc_bi_bw rc_bw rc_compare_swap_mr rc_fetch_add_mr rc_lat rc_rdma_read_bw rc_rdma_read_lat "
            + "rc_rdma_write_bw rc_rdma_write_lat rc_rdma_write_poll_lat ver_rc_compare_swap ver_rc_fetch_add");
    }

    @Test
    void shouldMeasureConnectionsByNumber() throws Exception {
        shouldMeasure("-t 1 -cp1 -ar1", "rc_bw rc_lat rc_rdma_read_bw uc_bi_bw uc_bw uc_lat uc_rdma_write_bw uc_rdma_write_lat "
            + "uc_rdma_write_poll_lat");
    }

    @Test
    void shouldMeasureDatagrams() throws Exception {
        shouldMeasure("-t 1 -i rxe0:1", "ud_bi_bw ud_bw ud_lat");
    }

    @Test
    void shouldCountMessagesInsteadOfTime() throws Exception {
        Started server = start("qperf -lp " + port);
        String out = client(server, "-cm1 -n 5000 -m 100 -vvs -oo msg_size:64:256:*2 rc_bw quit");
        List<String> sent = out.lines().filter(line -> line.startsWith("    send_msgs ") || line.startsWith("    recv_msgs "))
            .map(line -> line.substring(line.indexOf('=') + 1).strip()).toList();
        assertEquals(List.of("5,000", "5,000", "5,000", "5,000", "5,000", "5,000"), sent, out);
        assertEquals(0, server.await().exitCode());
    }

    /** Each test prints its name, and numbers with units; what quit comes after is the server's end. */
    private void shouldMeasure(String options, String tests) throws Exception {
        Started server = start("qperf -lp " + port);
        String out = client(server, options + " " + tests + " quit");
        List<String> lines = out.lines().toList();
        int at = 0;
        for (String test : tests.split(" ")) {
            assertEquals(test + ":", lines.get(at++), out);
            boolean two = test.matches("(uc|ud|udp).*_bw");
            for (String name : two ? List.of("send_bw", "recv_bw") : List.of(headline(test))) {
                assertTrue(lines.get(at).matches("    " + name + " +=  +" + NUMBER + unit(test)), lines.get(at) + " of\n" + out);
                at++;
            }
        }
        assertEquals(List.of("quit:"), lines.subList(at, lines.size()), out);
        assertEquals(new Ended(0, "", ""), server.await());
    }

    private static String headline(String test) {
        return test.endsWith("_lat") ? "latency" : test.endsWith("_bw") ? "bw" : "msg_rate";
    }

    private static String unit(String test) {
        return test.endsWith("_lat") ? "[num]s" : test.endsWith("_bw") ? "[KMG]B/sec" : "[KM]?/sec";
    }

    private String client(Started server, String line) throws IOException, InterruptedException {
        Ended client = start("qperf 127.0.0.1 -lp " + port + " -ws 30 " + line).await();
        assertEquals(0, client.exitCode(), client + "server: " + Files.readString(server.out()) + Files.readString(server.err()));
        return client.out();
    }
}
