// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Errors of the provider on the system's libibverbs that the kernel causes, with its rxe in the lab's guest. */
@ExtendWith(LabExtension.class)
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class LibibverbsLimitsTest {
    /** Java on an emulated processor takes its time. */
    private static final Duration DEADLINE = Duration.ofSeconds(150);
    private static final Duration SHORTLY = Duration.ofSeconds(30);
    private static final int LIMIT = 64 << 10;
    private static final String DEVICE = "rxe9";
    private static final String NETDEV = "errors9";
    /** Directory in the guest: no devices of ours. */
    private static final String STATE = "/tmp/libibverbs-limits";

    private static Path directory;

    @BeforeAll
    static void mount(KernelLab lab) throws Exception {
        directory = CaseDirectory.make(lab.directory().resolve("libibverbs-limits"));
        GuestTools.mount(lab.guest(), directory.resolve("mount.txt"));
    }

    /** The kernel counts pinned pages of processes without CAP_IPC_LOCK, also those of root. */
    @Test
    void shouldNameTheLimitOfLockedMemory(KernelLab lab) {
        List<String> command = new ArrayList<>(List.of("prlimit", "--memlock=" + LIMIT, "setpriv", "--bounding-set=-ipc_lock",
            "--inh-caps=-ipc_lock"));
        command.addAll(AdapterRun.java(lab, LibibverbsErrors.class, "limit", lab.device()));
        String limit = "; all registered memory counts against RLIMIT_MEMLOCK (ulimit -l), which is " + LIMIT
            + " bytes for this process: raise it (limits.conf, systemd's LimitMEMLOCK) or grant CAP_IPC_LOCK";
        try (RunningCommand run = lab.guest().start(directory.resolve("limit.txt"), command)) {
            assertEquals(List.of(
                "large: reg_mr: Cannot allocate memory (ENOMEM): 1048576 bytes, access LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC"
                    + limit,
                "small: ok",
                "end"), run.awaitSuccess(DEADLINE).lines().toList());
        }
    }

    /** Linux 6.1 keeps a removed rxe device until its last user closes it, and delivers no event: waits can be interrupted. */
    @Test
    void shouldCloseADeviceThatTheKernelRemoves(KernelLab lab) throws Exception {
        Path removed = lab.shared("removed");
        Files.deleteIfExists(removed);
        sh(lab, "add", "ip link add " + NETDEV + " type dummy; ip addr add 10.88.0.1/24 dev " + NETDEV + "; ip link set " + NETDEV
            + " up; rdma link add " + DEVICE + " type rxe netdev " + NETDEV + "; mkdir -p " + STATE + "; : > " + STATE + "/links");
        List<String> command = new ArrayList<>(List.of("env", HostTool.STATE_DIRECTORY + "=" + STATE));
        command.addAll(AdapterRun.java(lab, LibibverbsErrors.class, "gone", DEVICE, "/lab/removed"));
        try (RunningCommand run = lab.guest().start(directory.resolve("gone.txt"), command)) {
            run.awaitOutput("ready", DEADLINE);
            try (RunningCommand delete = lab.guest().start(directory.resolve("delete.txt"), List.of("rdma", "link", "delete", DEVICE))) {
                sh(lab, "removed", "while grep -q " + DEVICE + " /sys/class/infiniband_verbs/*/ibdev; do sleep 0.2; done");
                Files.createFile(removed);
                assertEquals(List.of(
                    "ready",
                    "open: open_device: No such device (ENODEV): no device named libibverbs:" + DEVICE + "; there are: [" + lab.device()
                        + "]",
                    "query: ok",
                    "region: ok",
                    "queue: ok",
                    "poll: ok",
                    "completion event: get_cq_event: Interrupted system call (EINTR): interrupted while waiting",
                    "waiting: false",
                    "asynchronous event: get_async_event: Interrupted system call (EINTR): interrupted while waiting",
                    "waiting: false",
                    "destroy: ok",
                    "end"), run.awaitSuccess(DEADLINE).lines().toList());
                delete.awaitSuccess(SHORTLY);
            }
        }
        sh(lab, "tidy", "ip link del " + NETDEV);
    }

    private static void sh(KernelLab lab, String file, String script) {
        lab.guest().run(directory.resolve(file + ".txt"), SHORTLY, "sh", "-ec", script);
    }
}
