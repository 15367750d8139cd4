// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.host.config.NetDevice;
import org.softrdma.host.config.StateDirectory;
import org.softrdma.rxe.engine.RxeEngine;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;

/**
 * The peer's process is killed while it is written to. Acknowledgements are missing: after retry count + 1 ACK timeouts the first work
 * request has failed. Before that, as this process has a device on the same host, it finds the record of the dead one's connections and
 * sends their DREQs: the connection ends as if a kernel had ended it.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class KilledPeerTest {
    private static final String LO = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow().name();
    private static final int UNDER_WAY = 8;
    private static final int BEFORE = 20;

    private KilledPeer survivor;
    private Process process;

    @BeforeEach
    void open() {
        survivor = new KilledPeer("survivor", LO);
    }

    @AfterEach
    void end() {
        process.destroyForcibly();
    }

    private void start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"),
            KilledPeer.class.getName(), LO));
        command.addAll(List.of(arguments));
        process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    @Test
    void shouldFailWhatIsOutstandingWhenTheListeningEndIsKilled() throws Exception {
        start();
        survivor.connect(InetAddress.getByName(process.inputReader().readLine()));
        KilledPeer.await(() -> survivor.end.count() == 1);
        survivor.end.establish();
        writeUntilKilled(CmEnd.text(survivor.end.response.privateData()));
        assertEquals("response, disconnected 0", survivor.end.told());
    }

    @Test
    void shouldFailWhatIsOutstandingWhenTheConnectingEndIsKilled() throws Exception {
        survivor.listen();
        start(survivor.end.address.getAddress().getHostAddress());
        KilledPeer.await(() -> survivor.end.count() == 1);
        survivor.end.accept("");
        KilledPeer.await(() -> survivor.end.count() == 2);
        writeUntilKilled(CmEnd.text(survivor.end.request.parameters().privateData()));
        assertEquals("request, established, disconnected 0", survivor.end.told());
    }

    private void writeUntilKilled(String target) throws Exception {
        SimulatedPair.Side side = survivor.end.side;
        long address = Long.parseLong(target.split(" ")[0]);
        int rkey = (int) Long.parseLong(target.split(" ")[1]);
        int posted = 0;
        int toldBefore = survivor.end.count();
        long killedNs = 0;
        long toldNs = 0;
        while (side.qp.state() == QpState.RTS) {
            if (toldNs == 0 && survivor.end.count() > toldBefore) {
                toldNs = System.nanoTime();
            }
            if (posted - side.sends().size() < UNDER_WAY) {
                side.qp.postSend(new SendRequest().write(address, rkey).element(survivor.memory(), 0, KilledPeer.BYTES).signaled());
                posted++;
                if (posted == BEFORE + UNDER_WAY) {
                    process.destroyForcibly().waitFor();
                    killedNs = System.nanoTime();
                }
            }
        }
        int all = posted;
        KilledPeer.await(() -> side.sends().size() == all);
        List<WcStatus> statuses = side.sendStatuses();
        int failed = statuses.indexOf(WcStatus.RETRY_EXC_ERR);
        assertTrue(failed >= BEFORE, "before it was killed all was well: " + statuses);
        assertTrue(statuses.subList(0, failed).stream().allMatch(WcStatus.SUCCESS::equals), statuses.toString());
        assertTrue(failed + 1 < all && statuses.subList(failed + 1, all).stream().allMatch(WcStatus.WR_FLUSH_ERR::equals),
            statuses.toString());
        assertTrue(killedNs != 0 && toldNs - killedNs > 0 && toldNs - killedNs < 2_000_000_000L,
            "disconnected " + (toldNs - killedNs) / 1_000_000 + " ms after the end of the process");
        assertEquals(List.of(), recordsOf(process.pid()));
        closeSurvivor();
        assertEquals(List.of(), recordsOf(ProcessHandle.current().pid()));
    }

    /** Records of connections that a process has left. */
    private static List<Path> recordsOf(long pid) throws IOException {
        try (Stream<Path> files = Files.walk(StateDirectory.ofUser())) {
            return files.filter(file -> file.getFileName().toString().matches(pid + "-.*\\.connections.*")).toList();
        }
    }

    /** Only the connection's communication ID remains, until the peer's end of it is known or abandoned. */
    private void closeSurvivor() {
        CmEnd end = survivor.end;
        RxeEngine engine = ((RxeContext) end.side.context).running().engine();
        int qpn = end.side.qp.qpNum();
        end.disconnect();
        end.connection.close();
        survivor.close();
        assertNull(engine.find(qpn));
    }
}
