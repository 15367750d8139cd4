// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.inspect;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Text form of a report, one line per device, counter, total and object:
 * <pre>
 * softrdma-report 1
 * process 4711 rping
 * device rxe0
 * counter sent_pkts 17
 * total qp 1
 * qp lqpn=18 type=RC state=RTS
 * end
 * </pre>
 * Words are visible ASCII of at most 255 characters. The parser trusts nothing and refuses any other text.
 */
final class ReportText {
    private static final String HEAD = "softrdma-report 1";
    private static final String END = "end";
    private static final int LONGEST_WORD = 255;
    private static final Pattern WORD = Pattern.compile("[!-~]{1," + LONGEST_WORD + "}");
    /** Names end at the first =. */
    private static final Pattern NAME = Pattern.compile("[a-z0-9_-]{1,63}");

    private ReportText() {
    }

    /** Reports that a text is not a report. */
    static final class MalformedException extends Exception {
        private static final long serialVersionUID = 1L;

        MalformedException(String why) {
            super(why);
        }
    }

    static String format(ProcessReport report) {
        StringBuilder text = new StringBuilder(HEAD).append('\n');
        text.append("process ").append(report.pid()).append(' ').append(word(report.command())).append('\n');
        for (DeviceReport device : report.devices()) {
            text.append("device ").append(word(device.device())).append('\n');
            device.counters().forEach((name, value) -> text.append("counter ").append(name).append(' ').append(value).append('\n'));
            device.totals().forEach((kind, count) -> text.append("total ").append(kind.text()).append(' ').append(count).append('\n'));
            for (Resource resource : device.resources()) {
                text.append(resource.kind().text());
                resource.attributes().forEach((name, value) -> text.append(' ').append(name).append('=').append(word(value)));
                text.append('\n');
            }
        }
        return text.append(END).append('\n').toString();
    }

    /** Replaces characters that a line cannot hold by underscores, and cuts long words. */
    private static String word(String text) {
        String cut = text.length() > LONGEST_WORD ? text.substring(0, LONGEST_WORD) : text;
        return cut.isEmpty() ? "_" : cut.replaceAll("[^!-~]", "_");
    }

    static ProcessReport parse(String text) throws MalformedException {
        if (!text.endsWith("\n" + END + "\n")) {
            throw new MalformedException("the end is missing");
        }
        String[] lines = text.split("\n");
        if (!lines[0].equals(HEAD)) {
            throw new MalformedException("the first line is not '" + HEAD + "'");
        }
        String[] process = words(lines[1], 3);
        if (!process[0].equals("process")) {
            throw new MalformedException("the second line does not name the process");
        }
        List<Part> parts = new ArrayList<>();
        for (int i = 2; i < lines.length - 1; i++) {
            takeLine(lines[i], parts);
        }
        return new ProcessReport(number(process[1]), process[2], parts.stream().map(Part::report).toList());
    }

    private static void takeLine(String line, List<Part> parts) throws MalformedException {
        String[] words = words(line, 0);
        if (words[0].equals("device")) {
            parts.add(new Part(words(line, 2)[1]));
            return;
        }
        if (parts.isEmpty()) {
            throw new MalformedException("'" + words[0] + "' precedes the first device");
        }
        parts.getLast().take(line, words);
    }

    /**
     * Splits a line.
     *
     * @param expected number of words; 0 for any number from 1
     */
    private static String[] words(String line, int expected) throws MalformedException {
        String[] words = line.split(" ", -1);
        if (expected != 0 && words.length != expected) {
            throw new MalformedException("a line of " + words.length + " words instead of " + expected);
        }
        for (String each : words) {
            // The longest word is a name of 63, = and a value.
            if (each.length() > LONGEST_WORD + 64 || !each.chars().allMatch(c -> c > ' ' && c <= '~') || each.isEmpty()) {
                throw new MalformedException("a word is empty, too long, or not of visible ASCII");
            }
        }
        return words;
    }

    private static long number(String digits) throws MalformedException {
        try {
            return Long.parseLong(digits);
        } catch (NumberFormatException none) {
            throw new MalformedException("'" + digits + "' is not a number");
        }
    }

    /** Lines of one device, as parsed so far. */
    private static final class Part {
        private final String device;
        private final Map<String, Long> counters = new LinkedHashMap<>();
        private final Map<ResourceKind, Long> totals = new EnumMap<>(ResourceKind.class);
        private final List<Resource> resources = new ArrayList<>();

        Part(String device) {
            this.device = device;
        }

        void take(String line, String[] words) throws MalformedException {
            switch (words[0]) {
                case "counter" -> {
                    String[] counter = words(line, 3);
                    counters.put(name(counter[1]), number(counter[2]));
                }
                case "total" -> {
                    String[] total = words(line, 3);
                    totals.put(kind(total[1]), number(total[2]));
                }
                default -> resources.add(resource(words));
            }
        }

        private static Resource resource(String[] words) throws MalformedException {
            Map<String, String> attributes = new LinkedHashMap<>();
            for (int i = 1; i < words.length; i++) {
                int equals = words[i].indexOf('=');
                String value = words[i].substring(equals + 1);
                if (equals < 0 || !WORD.matcher(value).matches()) {
                    throw new MalformedException("an attribute without a value, or with one that is too long");
                }
                attributes.put(name(words[i].substring(0, equals)), value);
            }
            return new Resource(kind(words[0]), attributes);
        }

        private static String name(String text) throws MalformedException {
            if (!NAME.matcher(text).matches()) {
                throw new MalformedException("'" + text + "' is not a name");
            }
            return text;
        }

        private static ResourceKind kind(String text) throws MalformedException {
            ResourceKind kind = ResourceKind.of(text);
            if (kind == null) {
                throw new MalformedException("'" + text + "' is not a kind of line");
            }
            return kind;
        }

        DeviceReport report() {
            return new DeviceReport(device, counters, totals, resources);
        }
    }
}
