// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** C programs for long, and many of them, on one daemon. */
@Tag("soak")
class CApplicationSoakTest {
    @RegisterExtension
    static final NamespaceExtension NAMESPACES = new NamespaceExtension("ip", "setpriv", "stdbuf", "xargs", LabProgram.COMPILER,
        LabProgram.MPICH, "mpirun.mpich");

    private static final int MINUTES = Integer.getInteger("softrdma.soak.minutes", 10);
    private static final int PROCESSES = Integer.getInteger("softrdma.soak.processes", 1000);
    private static final int AT_ONCE = 50;
    private static final int PORT = 24_000;
    private static final Duration GRACE = Duration.ofMinutes(5);
    /** Resident memory may differ by some pages of the heap; a leak of 32 KiB for each process exceeds this. */
    private static final long RESIDENT_KIB = 32 * 1024;

    private VethPair wire;

    @BeforeEach
    void connect() throws IOException {
        wire = new VethPair("c-soak", 1500);
        wire.addDevicesOf("rxe");
    }

    @AfterEach
    void disconnect() {
        wire.stopDaemons();
        wire.close();
    }

    /**
     * Four ranks exchange rings and all-reduces for {@code -Dsoftrdma.soak.minutes=N}, 10 without it, while one of 1000 packets is lost.
     * Each value is compared by the ranks.
     */
    @Test
    void shouldComputeRightWhilePacketsAreLost() throws Exception {
        String program = LabProgram.compile("mpi-ring", wire.directory(), LabProgram.MPICH).toString();
        wire.a.tool("rdma", "link", "set", "rxe0", "fault", "drop=0.1%,seed=17");
        wire.a.tool("run", "--", "ibv_devinfo");
        DaemonHolding before = DaemonHolding.of(wire.a);
        String line = CApplicationTest.UCX + "mpirun.mpich -np 4 " + program + " " + Duration.ofMinutes(MINUTES).toSeconds();
        try (RunningCommand ranks = CProgramPairs.start(wire.a, true, "ranks", line)) {
            String output = ranks.awaitSuccess(Duration.ofMinutes(MINUTES).plus(GRACE));
            Ends.expect(output, List.of(CApplicationTest.RIGHT));
            long lost = CApplicationTest.counter(wire.a, "fault_dropped");
            DaemonHolding after = DaemonHolding.of(wire.a);
            System.out.printf("%d minutes: %s; lost packets: %d of %d; before %s, after %s%n", MINUTES, output.lines().toList().getLast(),
                lost, CApplicationTest.counter(wire.a, "sent_pkts"), before, after);
            assertTrue(lost > 0, "no packet was lost");
            assertEquals(before.objects(), after.objects());
            assertEquals(before.descriptors(), after.descriptors(), "descriptors of the daemon");
        }
    }

    /**
     * {@code -Dsoftrdma.soak.processes=N} processes, 1000 without it, open the device, connect, exchange messages and end, 50 at once. The
     * daemon keeps nothing of them. The first ones are not counted: it loads classes, compiles, and allocates what it keeps.
     */
    @Test
    void shouldKeepNothingOfManyProcesses() throws Exception {
        String program = LabProgram.compile("one-exchange", wire.directory(), LabProgram.COMPILER, "-lrdmacm", "-libverbs").toString();
        wire.a.tool("run", "--", "ibv_devinfo");
        exchange(program, PORT, PROCESSES);
        DaemonHolding before = DaemonHolding.of(wire.a);
        long tookMs = exchange(program, PORT + 1, PROCESSES);
        DaemonHolding after = DaemonHolding.of(wire.a);
        System.out.printf("%d processes, %d at once: %d ms, %.1f ms for each; before %s, after %s%n", PROCESSES, AT_ONCE, tookMs,
            (double) tookMs / PROCESSES, before, after);
        assertEquals(before.objects(), after.objects());
        assertEquals(before.descriptors(), after.descriptors(), "descriptors of the daemon");
        assertTrue(after.residentKib() - before.residentKib() < RESIDENT_KIB, () -> "the daemon has grown: " + before + ", " + after);
    }

    /** @return milliseconds from the start of the first client to the end of the last */
    private long exchange(String program, int port, int clients) throws Exception {
        try (RunningCommand server = CProgramPairs.start(wire.a, true, "server",
                program + " " + wire.a.ipv4 + " " + port + " " + clients)) {
            CProgramPairs.awaitListener(wire.a, server, port);
            long startNs = System.nanoTime();
            try (RunningCommand asking = wire.a.start("clients", "run", "--", "sh", "-c", "yes " + port + " | head -" + clients
                    + " | xargs -n 1 -P " + AT_ONCE + " " + program + " " + wire.a.ipv4)) {
                asking.awaitSuccess(GRACE);
            }
            long tookMs = (System.nanoTime() - startNs) / 1_000_000;
            Ends.expect(server.awaitSuccess(GRACE), List.of("answered " + clients + " clients"));
            return tookMs;
        }
    }
}
