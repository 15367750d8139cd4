// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Reads PIT's reports: prints a table of the classes, and the mutants that survived without being accepted. Exits with 1 if the tests
 * noticed less than {@value #REQUIRED_PERCENT} % of the mutants that they ran and that are not accepted, in any package.
 *
 * <p>Arguments: the project's directory, the file of accepted mutants, names as {@code run} takes them.
 */
final class Survivors {
    private static final int REQUIRED_PERCENT = 95;

    /** One mutant. A line's text rather than its number finds it again after other lines have moved. */
    private record Mutant(String type, String method, int line, String text, String change, String status) {
        boolean isNoticed() {
            return switch (status) {
                case "KILLED", "TIMED_OUT", "MEMORY_ERROR", "RUN_ERROR" -> true;
                default -> false;
            };
        }

        boolean isCovered() {
            return !status.equals("NO_COVERAGE");
        }

        String key() {
            return type + "." + method + " | " + change + " | " + text;
        }
    }

    private final Path root;
    /** Numbers of accepted mutants by {@link Mutant#key}; what is left in the end is out of date. */
    private final Map<String, Integer> accepted = new TreeMap<>();
    private final Map<Path, List<String>> sources = new TreeMap<>();
    private boolean failed;

    private Survivors(Path root) {
        this.root = root;
    }

    public static void main(String[] arguments) throws Exception {
        Survivors survivors = new Survivors(Path.of(arguments[0]));
        survivors.readAccepted(Path.of(arguments[1]));
        for (int i = 2; i < arguments.length; i++) {
            survivors.report(arguments[i]);
        }
        if (survivors.failed) {
            System.out.println("\nStrength is below " + REQUIRED_PERCENT + " %.");
            System.exit(1);
        }
    }

    /** Reads entries of one line each, followed by their reason on indented lines. */
    private void readAccepted(Path file) throws IOException {
        for (String line : Files.readAllLines(file)) {
            if (!line.isBlank() && !line.startsWith("#") && !line.startsWith(" ")) {
                accepted.merge(line.strip(), 1, Integer::sum);
            }
        }
    }

    private void report(String name) throws Exception {
        Map<String, List<Mutant>> classes = new TreeMap<>();
        for (Mutant mutant : read(root.resolve("target/mutation/" + name + "/mutations.xml"))) {
            classes.computeIfAbsent(mutant.type(), type -> new ArrayList<>()).add(mutant);
        }
        System.out.printf("%n%-52s %12s %9s %9s %9s %9s%n", name, "killed/run", "timed out", "uncovered", "accepted", "strength");
        List<Mutant> remaining = new ArrayList<>();
        int[] total = new int[5];
        for (Map.Entry<String, List<Mutant>> entry : classes.entrySet()) {
            int[] counts = new int[5];
            for (Mutant mutant : entry.getValue()) {
                count(mutant, counts, remaining);
            }
            for (int i = 0; i < total.length; i++) {
                total[i] += counts[i];
            }
            print("  " + entry.getKey(), counts);
        }
        int percent = print("all", total);
        failed |= percent < REQUIRED_PERCENT;
        remaining.forEach(mutant -> System.out.printf("%s, line %d: %s%n", mutant.isCovered() ? "survived" : "not run", mutant.line(),
            mutant.key()));
        accepted.forEach((key, count) -> {
            if (count > 0 && classes.keySet().stream().anyMatch(type -> key.startsWith(type + "."))) {
                System.out.println("no longer survives: " + key);
            }
        });
    }

    /** Adds a mutant to the counts: noticed, run, uncovered, accepted, noticed because a test did not end. */
    private void count(Mutant mutant, int[] counts, List<Mutant> remaining) {
        counts[1]++;
        if (mutant.isNoticed()) {
            counts[0]++;
            counts[4] += mutant.status().equals("TIMED_OUT") ? 1 : 0;
        } else if (accepted.getOrDefault(mutant.key(), 0) > 0) {
            accepted.merge(mutant.key(), -1, Integer::sum);
            counts[3]++;
        } else {
            counts[2] += mutant.isCovered() ? 0 : 1;
            remaining.add(mutant);
        }
    }

    /** Prints a line of the table, and returns the strength in percent, rounded down. */
    private static int print(String name, int[] counts) {
        int judged = counts[1] - counts[2] - counts[3];
        int percent = judged == 0 ? 100 : 100 * counts[0] / judged;
        System.out.printf(Locale.ROOT, "%-52s %12s %9d %9d %9d %8d%%%n", name, counts[0] + "/" + counts[1], counts[4], counts[2],
            counts[3], percent);
        return percent;
    }

    private List<Mutant> read(Path report) throws Exception {
        List<Mutant> mutants = new ArrayList<>();
        if (!Files.exists(report)) {
            throw new IllegalStateException("PIT found nothing to mutate: no " + report);
        }
        NodeList elements = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(report.toFile())
            .getElementsByTagName("mutation");
        for (int i = 0; i < elements.getLength(); i++) {
            Element element = (Element) elements.item(i);
            String type = text(element, "mutatedClass");
            if (text(element, "killingTest").endsWith("]") && text(element, "killingTest").contains(".[engine:")
                && !text(element, "killingTest").contains("]/[")) {
                throw new IllegalStateException("a test engine failed, not a test, so the mutants look noticed; see target/mutation/*.log: "
                    + text(element, "killingTest"));
            }
            int line = Integer.parseInt(text(element, "lineNumber"));
            mutants.add(new Mutant(type.replace("org.softrdma.", ""), text(element, "mutatedMethod"), line,
                sourceLine(type, text(element, "sourceFile"), line), text(element, "description"), element.getAttribute("status")));
        }
        return mutants;
    }

    private static String text(Element element, String name) {
        return element.getElementsByTagName(name).item(0).getTextContent();
    }

    private String sourceLine(String type, String file, int line) throws IOException {
        Path inside = Path.of(type.replace('.', '/')).resolveSibling(file);
        try (Stream<Path> modules = Files.list(root)) {
            Path source = modules.map(module -> module.resolve("src/main/java").resolve(inside)).filter(Files::exists).findFirst()
                .orElseThrow(() -> new IllegalStateException("no source of " + type));
            if (!sources.containsKey(source)) {
                sources.put(source, Files.readAllLines(source));
            }
            return sources.get(source).get(line - 1).strip();
        }
    }
}
