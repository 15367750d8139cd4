// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.softrdma.interop.InteropCase.IpVersion;
import org.softrdma.tools.Softrdma;

/** The provider on the system's libibverbs in the lab's guest, on the kernel's rxe. */
@ExtendWith(LabExtension.class)
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class LibibverbsKernelTest {
    /** Java on an emulated processor takes its time. */
    private static final Duration DEADLINE = Duration.ofSeconds(150);
    private static final int PORT = 18_790;

    private static Path directory;

    @BeforeAll
    static void mount(KernelLab lab) throws Exception {
        directory = CaseRun.emptyDirectory(lab, "libibverbs");
        GuestTools.mount(lab.guest(), directory.resolve("mount.txt"));
    }

    /** Compares with what {@link LibibverbsTest} compares our devices with. */
    @Test
    void shouldPrintOnTheKernelsDeviceWhatItPrintsOnOurs(KernelLab lab) throws Exception {
        try (RunningCommand run = lab.guest().start(directory.resolve("one-program.txt"), java(OneProgram.class, "libibverbs:rxe0"))) {
            assertEquals(OneProgram.output(), run.awaitSuccess(DEADLINE));
        }
    }

    /** Our rping on the kernel's device against the system's on the same device, in both roles. */
    @Test
    void shouldPingOnTheKernelsDevice(KernelLab lab) throws Exception {
        for (boolean weServe : new boolean[] {true, false}) {
            String port = Integer.toString(weServe ? PORT : PORT + 1);
            List<String> server = List.of("rping", "-s", "-a", IpVersion.IPV4.guest, "-p", port, "-C", "10", "-S", "65000", "-V");
            List<String> client = List.of("rping", "-c", "-a", IpVersion.IPV4.guest, "-p", port, "-C", "10", "-S", "65000", "-V");
            try (RunningCommand serves = start(lab, weServe, "server", server)) {
                lab.guest().run(directory.resolve("listens.txt"), DEADLINE, "sh", "-c",
                    "until rdma resource show cm_id | grep -q 'LISTEN.*:" + port + "'; do sleep 0.2; done");
                try (RunningCommand asks = start(lab, !weServe, "client", client)) {
                    asks.awaitSuccess(DEADLINE);
                    serves.awaitSuccess(DEADLINE);
                }
            }
        }
    }

    private static RunningCommand start(KernelLab lab, boolean ours, String file, List<String> words) {
        List<String> command = ours ? java(Softrdma.class, words.toArray(String[]::new)) : words;
        return lab.guest().start(directory.resolve("rping-" + file + (ours ? "-java" : "-c") + ".txt"), command);
    }

    /** Command line of a JVM in the guest, which sees the project but no repository of libraries. */
    private static List<String> java(Class<?> main, String... arguments) {
        String project = KernelLab.root() + File.separator;
        List<String> path = new ArrayList<>(Arrays.stream(LibibverbsTest.classPath().split(File.pathSeparator))
            .filter(entry -> entry.startsWith(project)).toList());
        path.add(project + "rdma-tools/target/softrdma.jar");
        List<String> command = new ArrayList<>(List.of(GuestTools.JAVA_HOME + "/bin/java", "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED", "-Dsoftrdma.providers=libibverbs", "-cp",
            path.stream().filter(entry -> Files.exists(Path.of(entry))).collect(Collectors.joining(File.pathSeparator)), main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }
}
