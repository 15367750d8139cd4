// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.softrdma.verbs.VerbsException;

/** A JVM that a test starts as a child, and its main class. */
final class JavaChild {
    private JavaChild() {
    }

    /** Starts this class in a JVM. */
    static ProcessSpawn prepare(List<byte[]> arguments, int... inherited) {
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        List<byte[]> command = new ArrayList<>(Commands.bytes(System.getProperty("java.home") + File.separator + "bin/java",
            "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", classPath,
            JavaChild.class.getName()));
        command.addAll(arguments);
        return ProcessSpawn.prepare(command, Map.of(), inherited);
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path out = Path.of(arguments[0]);
        switch (arguments[1]) {
            case "die" -> Signals.dieBySignal(Integer.parseInt(arguments[2]));
            case "arguments" -> {
                List<byte[]> own = ProcessInfo.ownArguments(arguments.length);
                Files.write(out, own.getLast());
            }
            case "descriptors" -> Files.writeString(out, Arrays.toString(InheritedDescriptors.find()));
            case "filter" -> Files.writeString(out, filter());
            case "stop" -> {
                Signals.stopSelf();
                System.exit(7);
            }
            case "signals" -> {
                Signals.ignore(Signals.SIGINT);
                Signals.ignore(Signals.SIGQUIT);
                boolean usable = Signals.handle("TERM", () -> Runtime.getRuntime().halt(9));
                Files.writeString(out, usable + " " + Signals.handle("KILL", () -> { }) + " " + Signals.wasIgnored(Signals.SIGHUP));
                Thread.sleep(60_000);
            }
            default -> System.exit(1);
        }
    }

    private static String filter() {
        SeccompFilter filter = Supervisor.filter();
        try (FilteredLaunch launch = new FilteredLaunch(filter, Commands.prepare("true"), false)) {
            return "installed " + launch.listener().fd();
        } catch (VerbsException refused) {
            return refused.errno() + " " + refused.getMessage();
        }
    }
}
