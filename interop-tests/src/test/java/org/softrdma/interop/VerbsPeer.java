// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.softrdma.interop.InteropCase.IpVersion;
import org.softrdma.interop.app.VerbsApp;

/**
 * Driver of {@code guest/verbs-peer.py}, or {@code siw-peer.py} where the device is siw, started once in each guest, and of the application
 * that is its counterpart on our side.
 */
final class VerbsPeer {
    private static final Duration START = Duration.ofSeconds(40);
    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final Map<KernelLab, RunningCommand> PEERS = new IdentityHashMap<>();

    private VerbsPeer() {
    }

    /** Starts the guest's side unless it runs already. */
    static synchronized void start(KernelLab lab) throws IOException {
        RunningCommand peer = PEERS.get(lab);
        if (peer == null || !peer.isRunning()) {
            String name = lab.isIwarp() ? "siw-peer" : "verbs-peer";
            lab.share("/guest/json_peer.py");
            String program = lab.share("/guest/" + name + ".py");
            peer = lab.guest().start(lab.ownDirectory().resolve(name + ".txt"), List.of("python3", "-u", program));
            PEERS.put(lab, peer);
            peer.awaitOutput("listening", START);
        }
    }

    /**
     * Runs our side of a case in a process of its own.
     *
     * @param role requester, responder or both
     * @return the output of the process
     */
    static String run(KernelLab lab, Path file, String kind, String name, String role, IpVersion ip) throws IOException {
        start(lab);
        try (RunningCommand app = application(lab, file, VerbsApp.class, kind, name, role, Integer.toString(ip.gidIndex), ip.guest,
                Integer.toString(ip.gidIndex))) {
            if (app.awaitExit(DEADLINE) == VerbsApp.UNSUPPORTED) {
                throw new InteropCase.Unsupported(app.output().lines().filter(line -> line.contains("Exception")).findFirst().orElse("?"));
            }
            return app.awaitSuccess(DEADLINE);
        }
    }

    /** Starts a program of ours in the namespace, as a process with this JVM's class path. */
    static RunningCommand application(KernelLab lab, Path file, Class<?> main, String... arguments) {
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", main.getName()));
        command.addAll(List.of(arguments));
        return lab.tool(file, Map.of("CLASSPATH", absolute(classPath)), command.toArray(String[]::new));
    }

    private static String absolute(String classPath) {
        StringBuilder absolute = new StringBuilder();
        for (String each : classPath.split(File.pathSeparator)) {
            absolute.append(absolute.isEmpty() ? "" : File.pathSeparator).append(Path.of(each).toAbsolutePath());
        }
        return absolute.toString();
    }
}
