// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.lab;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import org.softrdma.lab.Lab;
import org.softrdma.lab.lesson.Lesson;
import org.softrdma.lab.lesson.Lessons;
import org.softrdma.lab.lesson.ProgramCheck;
import org.softrdma.tools.cli.AnnotatedTool;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.ToolFailure;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code softrdma lab}: the laboratory in the browser, and the checks of its lessons for programs. */
@Command(name = "lab", sortOptions = false,
    description = "Starts the laboratory, a web page on this machine: simulated fabrics to work with, packets as sequence diagrams, "
        + "running devices, recordings and lessons. It listens on 127.0.0.1 only, and its address has a secret word.%n%n"
        + "softrdma lab FILE opens a recording (pcapng).%n"
        + "softrdma lab check LESSON PROGRAM... runs a program and checks that it does what the lesson asks for: PROGRAM.java with this "
        + "library on its class path, a C program under `softrdma run --private`.%n"
        + "softrdma lab solution LESSON prints a program that passes.")
public final class LabTool extends AnnotatedTool {
    private static final int LIMIT_SECONDS = 60;
    private static final String NAME = "softrdma lab: ";

    @Option(names = "--lesson", paramLabel = "LESSON", description = "lesson to begin with, by name or number (default: 1)")
    private String lesson;

    @Option(names = "--seed", paramLabel = "N", description = "seed of the lesson's fabric")
    private Long seed;

    @Option(names = "--faults", paramLabel = "FAULTS", description = "faults of the lesson's network, as in drop=5%%")
    private String faults;

    @Option(names = "--no-browser", description = "print the address only")
    private boolean withoutBrowser;

    @Option(names = "--list", description = "list the lessons")
    private boolean list;

    @Option(names = "--time", paramLabel = "SECONDS", description = "with check: seconds after which the program is stopped (default: 60)")
    private int seconds = LIMIT_SECONDS;

    @Parameters(paramLabel = "FILE | check LESSON PROGRAM... | solution LESSON", arity = "0..*", description = "see above")
    private List<String> words = List.of();

    /** A tool with default options. */
    public LabTool() {
        super(1, true);
    }

    @Override
    protected void check() {
        if (seconds < 1) {
            throw new Misused("--time is " + seconds + "; at least 1 is needed");
        }
        switch (words.isEmpty() ? "" : words.getFirst()) {
            case "" -> { }
            case "check" -> {
                if (words.size() < 3) {
                    throw new Misused("check which program? softrdma lab check LESSON PROGRAM...");
                }
                if (words.get(2).endsWith(".java")) {
                    requireReadable("program", words.get(2));
                }
            }
            case "solution" -> {
                if (words.size() != 2) {
                    throw new Misused("the solution of which lesson?");
                }
            }
            default -> requireReadable("recording", words.getFirst());
        }
    }

    private static void requireReadable(String what, String file) {
        if (!Files.isReadable(Path.of(file))) {
            throw new Misused("there is no " + what + " " + file + " that can be read");
        }
    }

    @Override
    protected int execute(String name, List<String> arguments, Console console) {
        Lessons lessons = Lessons.load();
        try {
            if (list) {
                lessons.all().forEach(each -> console.printf("%-24s %s\n", each.id(), each.title()));
                return 0;
            }
            if (!words.isEmpty() && words.getFirst().equals("check")) {
                return checkProgram(lessons.get(words.get(1)), command(words.subList(2, words.size())), console);
            }
            if (!words.isEmpty() && words.getFirst().equals("solution")) {
                console.print(Lessons.solution(lessons.get(words.get(1))));
                return 0;
            }
            return serve(console);
        } catch (IllegalArgumentException wrong) {
            throw new ToolFailure(NAME + wrong.getMessage());
        } catch (IOException refused) {
            throw new ToolFailure(NAME + refused.getMessage());
        }
    }

    // ---- the page ----

    private int serve(Console console) throws IOException {
        try (Lab lab = Lab.start()) {
            if (!words.isEmpty()) {
                Path file = Path.of(words.getFirst());
                lab.session().openRecording(file.getFileName().toString(), Files.readAllBytes(file));
            } else if (lesson != null || seed != null || faults != null) {
                lab.session().openLesson(lesson == null ? "1" : lesson);
                lab.session().restart(seed, faults);
            }
            console.println("The laboratory is at " + lab.address());
            console.println("Ctrl-C ends it.");
            console.out().flush();
            if (!withoutBrowser) {
                browse(lab.address());
            }
            new CountDownLatch(1).await();
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
        return 0;
    }

    /** Opens the user's browser, if there is a display; no browser is no failure. */
    private static void browse(URI address) {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        List<String> command = system.contains("win") ? List.of("rundll32", "url.dll,FileProtocolHandler", address.toString())
            : system.contains("mac") ? List.of("open", address.toString()) : List.of("xdg-open", address.toString());
        boolean display = system.contains("win") || system.contains("mac") || System.getenv("DISPLAY") != null
            || System.getenv("WAYLAND_DISPLAY") != null;
        try {
            if (display) {
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
            }
        } catch (IOException none) {
            System.getLogger(LabTool.class.getName()).log(System.Logger.Level.DEBUG, "no browser: " + none.getMessage());
        }
    }

    // ---- checks ----

    /** Command of a program: Java on this library's class path, anything else under {@code run}. */
    private static List<String> command(List<String> program) {
        String first = program.getFirst();
        List<String> command = new ArrayList<>();
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String classPath = System.getProperty("java.class.path");
        if (first.endsWith(".java")) {
            command.addAll(List.of(java, "--enable-native-access=ALL-UNNAMED", "-cp", classPath));
        } else if (!first.equals("java") && !first.endsWith("/java")) {
            command.addAll(List.of(java, "--enable-native-access=ALL-UNNAMED", "-cp", classPath, "org.softrdma.tools.Softrdma", "run",
                "--private", "--"));
        }
        command.addAll(program);
        return command;
    }

    private int checkProgram(Lesson of, List<String> command, Console console) throws IOException {
        of.requireProgram();
        Path directory = Files.createTempDirectory("softrdma-lab-");
        console.println("Lesson " + of.id() + ": " + of.check().task());
        ProgramCheck.Result result = new ProgramCheck(of, command, Duration.ofSeconds(seconds))
            .run(directory, line -> console.println("  | " + line));
        console.println("");
        for (int i = 0; i < result.met().length; i++) {
            console.println((result.met()[i] ? "  yes  " : "  NO   ") + result.goals().get(i).text());
        }
        console.println(result.exitCode() < 0 ? "The program was stopped after " + seconds + " s."
            : "The program ended with exit code " + result.exitCode() + ", " + result.packets() + " packets in " + directory + ".");
        if (result.packets() == 0) {
            console.println("No packets were captured: did the program open a device of softrdma?");
        }
        console.println(result.passed() ? "Passed." : "Not passed: softrdma lab FILE shows what went over the wire.");
        return result.passed() ? 0 : 1;
    }
}
