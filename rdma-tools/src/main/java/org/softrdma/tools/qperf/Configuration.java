// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Configuration of an end: four texts of 64 bytes. Source: observed of qperf 0.4.11. */
record Configuration(String node, String cpu, String os, String version) {
    static final int BYTES = 4 * WireText.BYTES;

    private static final Path CPUINFO = Path.of("/proc/cpuinfo");
    private static final Path HOSTNAME = Path.of("/proc/sys/kernel/hostname");
    private static final Pattern NOISE = Pattern.compile("(?i)\\(r\\)|\\(tm\\)|cpu |processor | (?= )");
    private static final double MHZ_PER_GHZ = 1000;

    static Configuration ofThisHost() {
        String node = String.join("", lines(HOSTNAME)).strip();
        return new Configuration(node.isEmpty() ? "localhost" : node, cpu(lines(CPUINFO)),
            System.getProperty("os.name") + " " + System.getProperty("os.version"), Request.version());
    }

    private static List<String> lines(Path file) {
        try {
            return Files.exists(file) ? Files.readAllLines(file) : List.of();
        } catch (IOException unreadable) {
            return List.of();
        }
    }

    /** @param cpuinfo lines of {@code /proc/cpuinfo}, or none where there is no such file */
    static String cpu(List<String> cpuinfo) {
        List<String> models = values(cpuinfo, "model name");
        List<String> clocks = values(cpuinfo, "cpu mhz").stream().distinct().toList();
        int count = models.isEmpty() ? Runtime.getRuntime().availableProcessors() : models.size();
        String cores = count == 1 ? "" : count + " Cores: ";
        boolean mixed = models.stream().distinct().count() > 1 || clocks.size() > 1;
        if (mixed) {
            return cores + "Mixed CPUs";
        }
        String model = models.isEmpty() ? System.getProperty("os.arch") : NOISE.matcher(models.getFirst()).replaceAll("");
        return cores + model + (model.endsWith("Hz") || clocks.isEmpty() ? "" : speed(clocks.getFirst()));
    }

    private static List<String> values(List<String> cpuinfo, String name) {
        return cpuinfo.stream().filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name) && line.indexOf(':') > 0)
            .map(line -> line.substring(line.indexOf(':') + 1).strip()).toList();
    }

    private static String speed(String mhz) {
        int whole = mhz.matches("[0-9]{1,7}(\\..*)?") ? Integer.parseInt(mhz.replaceAll("\\..*", "")) : 0;
        return whole < MHZ_PER_GHZ ? " " + whole + "MHz" : String.format(Locale.ROOT, " %.1fGHz", whole / MHZ_PER_GHZ);
    }

    /** @param bytes {@link #BYTES} of them */
    static Configuration parse(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new Configuration(WireText.read(buffer, 0), WireText.read(buffer, WireText.BYTES), WireText.read(buffer, 2 * WireText.BYTES),
            WireText.read(buffer, 3 * WireText.BYTES));
    }

    byte[] toMessage() {
        ByteBuffer buffer = ByteBuffer.allocate(BYTES);
        WireText.write(buffer, 0, node);
        WireText.write(buffer, WireText.BYTES, cpu);
        WireText.write(buffer, 2 * WireText.BYTES, os);
        WireText.write(buffer, 3 * WireText.BYTES, version);
        return buffer.array();
    }
}
