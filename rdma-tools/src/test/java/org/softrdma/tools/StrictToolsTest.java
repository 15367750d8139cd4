// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.Verbs;

/** The tools on strict devices: they do nothing that adapters would not forgive. {@link ToolProcesses} looks for findings after each. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class StrictToolsTest extends ToolProcesses {
    @BeforeEach
    void configure() {
        addLink("rxe0", "rxe");
        addLink("siw0", "siw");
        environment.put("SOFTRDMA_STRICT", "on");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ibv_rc_pingpong -g 1", "ibv_rc_pingpong -g 1 -e", "ibv_uc_pingpong -g 1", "ibv_ud_pingpong -g 1",
        "ibv_srq_pingpong -g 1", "ib_write_bw -n 100", "ib_read_lat -n 100", "ib_send_bw -n 100 -c UD -s 1024", "ib_send_lat -n 100 -e",
        "ib_atomic_bw -n 100"})
    void shouldDoNothingThatAdaptersDoNotForgive(String tool) throws Exception {
        Pair ended = pair(tool, tool);
        assertEquals(0, ended.client().exitCode(), ended.toString());
        assertEquals(0, ended.server().exitCode(), ended.toString());
    }

    @ParameterizedTest
    @CsvSource({"rping -s -C 10, rping -c -C 10 -a 127.0.0.1", "ucmatose, ucmatose -s 127.0.0.1", "rdma_server, rdma_client -s 127.0.0.1",
        "rstream -S 64 -C 10, rstream -S 64 -C 10 -s 127.0.0.1"})
    void shouldConnectAsAdaptersAsk(String server, String client) throws Exception {
        int port = freePort();
        Pair ended = meet(listening(server + " -p " + port, "tcp-" + port), client + " -p " + port);
        assertEquals(0, ended.client().exitCode(), ended.toString());
        assertEquals(0, ended.server().exitCode(), ended.toString());
    }

    /** A program that registers memory for nothing. */
    static final class Wrong {
        private Wrong() {
        }

        public static void main(String[] arguments) {
            try (Context context = Verbs.open("rxe0"); ProtectionDomain pd = context.allocatePd();
                 MemoryRegion region = pd.register(Arena.ofAuto().allocate(64), AccessFlags.LOCAL_WRITE)) {
                System.out.println(region.lkey());
            }
        }
    }

    /** Otherwise the tests above could not fail. */
    @Test
    void shouldFindAWrongProgram() throws Exception {
        Started wrong = startClass(Wrong.class, "");
        Ended ended = wrong.await();
        assertEquals(0, ended.exitCode(), ended.toString());
        assertTrue(ended.err().contains("rxe0: strict: ") && ended.err().contains("[MEMORY_UNUSED]"), ended.toString());
        Files.writeString(wrong.err(), "");
    }
}
