// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.softrdma.host.inspect.ProcessName;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.Spelling;
import org.softrdma.tools.cli.Tool;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.VerbsException;

/** Main class of the launcher: {@code softrdma TOOL ARGUMENTS...}. */
public final class Softrdma {
    /** Environment variable: with any value, stack traces of failures are printed. */
    private static final String TRACE_VARIABLE = "SOFTRDMA_TRACE";
    /** Option for the launcher script: runs the code that most starts run, so that the JVM can store it for later starts. */
    private static final String TRAIN = "--train";
    /** The same for tools that move data; a program follows that ends at once. */
    private static final String TRAIN_DATA = "--train-data";
    /** Property of Netty: a part of its channels' names. Without it Netty reads all interfaces, and warns if none has a MAC address. */
    private static final String NETTY_MACHINE = "io.netty.machineId";
    /** Exit code of shells for an unknown command. */
    private static final int EXIT_UNKNOWN_TOOL = 127;
    /** Exit code EX_SOFTWARE of sysexits.h. */
    private static final int EXIT_INTERNAL = 70;

    private Softrdma() {
    }

    public static void main(String[] arguments) {
        StandardOutput output = new StandardOutput();
        PrintStream out = stream(output);
        PrintStream err = stream(new FileOutputStream(FileDescriptor.err));
        Console console = new Console(out, err);
        ToolLog.configure(nameOf(arguments), System.getenv(ToolLog.VARIABLE), console);
        if (System.getProperty(NETTY_MACHINE) == null) {
            System.setProperty(NETTY_MACHINE, "02:00:00:00:00:00");
        }
        int exitCode = run(List.of(arguments), console);
        out.flush();
        if (output.failure() != null) {
            // The words of GNU's programs, such as cat.
            err.print(nameOf(arguments) + ": write error: " + output.failure().getMessage() + "\n");
            exitCode = Math.max(1, exitCode);
        }
        err.flush();
        System.exit(exitCode);
    }

    private static String nameOf(String[] arguments) {
        return arguments.length > 0 && Tools.find(arguments[0]) != null ? arguments[0] : "softrdma";
    }

    private static PrintStream stream(OutputStream to) {
        return new PrintStream(new BufferedOutputStream(to), false, StandardCharsets.UTF_8);
    }

    /** Runs a tool without exiting the JVM. Exceptions become messages on stderr and exit codes. */
    static int run(List<String> arguments, Console console) {
        String first = arguments.isEmpty() ? "--help" : arguments.getFirst();
        switch (first) {
            case "--help", "-h", "help" -> {
                overview(console);
                return 0;
            }
            case "--version", "-V" -> {
                console.println("softrdma " + version() + " (Java " + Runtime.version() + ")");
                return 0;
            }
            case TRAIN -> {
                train();
                return 0;
            }
            case TRAIN_DATA -> {
                return trainData(arguments.getLast());
            }
            default -> {
            }
        }
        Tool tool = Tools.find(first);
        if (tool == null) {
            List<String> similar = Spelling.nearest(first, Tools.all().stream().map(Tools.Entry::name).toList());
            console.error("softrdma: there is no tool '" + first + "'"
                + (similar.isEmpty() ? "" : "; did you mean '" + similar.getFirst() + "'?"));
            console.error("`softrdma --help` lists the tools.");
            return EXIT_UNKNOWN_TOOL;
        }
        return run(tool, first, arguments.subList(1, arguments.size()), console);
    }

    private static int run(Tool tool, String name, List<String> arguments, Console console) {
        System.setProperty(ProcessName.PROPERTY, name);
        try {
            return tool.run(name, arguments, console);
        } catch (ToolFailure failure) {
            if (failure.getMessage() != null) {
                console.error(failure.getMessage());
            }
            trace(failure, console);
            return failure.exitCode();
        } catch (VerbsException refused) {
            console.error(name + ": " + refused.getMessage());
            trace(refused, console);
            return 1;
        } catch (RuntimeException | Error unexpected) {
            console.error(name + ": unexpected error: " + unexpected);
            console.error("This is a bug in softrdma, please report it. " + TRACE_VARIABLE + "=1 in the environment adds a stack trace.");
            trace(unexpected, console);
            return EXIT_INTERNAL;
        }
    }

    /**
     * Runs some tools for their code only. The option --odp makes a ping-pong open a device and fail; run reads its program from the
     * command line of this process, and finds none.
     */
    private static void train() {
        Console nowhere = nowhere();
        for (String line : List.of("ibv_devices", "rdma link show", "rdma -j dev", "ibv_devinfo -v", "ibstat", "show_gids",
                "rdma resource show qp", "ibv_rc_pingpong --odp", "daemon status", "run --private -- true")) {
            run(List.of(line.split(" ")), nowhere);
        }
    }

    /** Runs the demo, and a program with devices of its own where that is possible. Returns the exit code of the demo. */
    private static int trainData(String program) {
        Console nowhere = nowhere();
        int exitCode = run(List.of("demo"), nowhere);
        run(List.of("run", "--private", "--", program), nowhere);
        return exitCode;
    }

    private static Console nowhere() {
        return new Console(new PrintStream(OutputStream.nullOutputStream()), new PrintStream(OutputStream.nullOutputStream()));
    }

    private static void trace(Throwable thrown, Console console) {
        if (System.getenv(TRACE_VARIABLE) != null) {
            thrown.printStackTrace(console.err());
        }
    }

    private static void overview(Console console) {
        console.println("Usage: softrdma TOOL [ARGUMENT]...");
        console.println("       softrdma --version | --help");
        console.println("");
        console.println("A software RDMA device in pure Java, with its tools. TOOL is one of");
        for (Tools.Entry each : Tools.all()) {
            console.printf("  %-17s %s\n", each.name(), each.summary());
        }
        console.println("");
        console.println("Start with `softrdma demo`. The directory bin/ has the tools under their own names; add it to the PATH.");
    }

    static String version() {
        String version = Softrdma.class.getPackage().getImplementationVersion();
        return version == null ? "(not packaged)" : version;
    }
}
