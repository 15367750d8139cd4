// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.softrdma.interop.InteropCase.IpVersion;
import org.softrdma.wire.iwarp.Fpdu;
import org.softrdma.wire.iwarp.MpaFrame;
import org.softrdma.wire.iwarp.RdmapOpcode;

/**
 * Wireshark's independent decoding of a capture of iWARP connections. Every byte of every stream must belong to a decoded frame: the
 * lengths of the MPA frames must add up to the bytes that TCP carried. A stream that its receiver has reset may end within a frame.
 */
final class IwarpReport {
    private static final long TSHARK_SECONDS = 120;
    private static final int DEFECTS_KEPT = 10;
    private static final String TRUE = "1";

    /** Columns of tshark's output; several values in a packet are separated by commas. */
    private enum Field {
        NUMBER("frame.number"), STREAM("tcp.stream"), IPV4("ip.src"), IPV6("ipv6.src"), BYTES("tcp.len"),
        REPEATED("tcp.analysis.retransmission"), RESET("tcp.flags.reset"), REQUEST("iwarp_mpa.key.req"), CRC("iwarp_mpa.crc_flag"),
        REJECTED("iwarp_mpa.rej_flag"),
        PRIVATE("iwarp_mpa.pdlength"), ULPDU("iwarp_mpa.ulpdulength"), OPCODE("iwarp_rdma.opcode"), CRC_CHECK("iwarp_mpa.crc_check"),
        MALFORMED("_ws.malformed");

        private final String filterName;

        Field(String filterName) {
            this.filterName = filterName;
        }
    }

    /** One direction of a connection. */
    private static final class Direction {
        long carried;
        long understood;
        /** The receiver takes no more: RST. */
        boolean reset;
    }

    private final List<TreeMap<String, Integer>> messages = List.of(new TreeMap<>(), new TreeMap<>());
    private final Map<String, Direction> directions = new TreeMap<>();
    private final Map<String, Boolean> crcOfStream = new HashMap<>();
    private final List<String> defects = new ArrayList<>();
    private int defectCount;

    private IwarpReport() {
    }

    /**
     * Reads a capture.
     *
     * @param torn whether streams may end within a frame
     */
    static IwarpReport of(Path capture, boolean torn) throws IOException, InterruptedException {
        List<String> options = new ArrayList<>(List.of("-T", "fields", "-E", "separator=|"));
        for (Field field : Field.values()) {
            options.addAll(List.of("-e", field.filterName));
        }
        IwarpReport report = of(tshark(capture, options), torn);
        wrongCrcs(capture, "iwarp_mpa.crc_check").forEach(report::defect);
        return report;
    }

    /** Returns whether the kernel sent a frame with a wrong CRC. */
    static boolean hasWrongCrcOfKernel(Path capture) throws IOException, InterruptedException {
        return !wrongCrcs(capture, "iwarp_mpa.crc_check and (ip.src == " + IpVersion.IPV4.guest + " or ipv6.src == "
            + IpVersion.IPV6.guest + ")").isEmpty();
    }

    private static List<String> wrongCrcs(Path capture, String filter) throws IOException, InterruptedException {
        return tshark(capture, List.of("-Y", filter, "-O", "iwarp_mpa")).stream()
            .filter(line -> line.contains("CRC check:") && !line.contains("Good CRC32")).map(String::strip).toList();
    }

    /** Reads tshark's lines of the {@link Field}s. */
    static IwarpReport of(List<String> packets, boolean torn) {
        IwarpReport report = new IwarpReport();
        for (String line : packets) {
            report.packet(line.split("\\|", -1));
        }
        report.directions.forEach((name, way) -> report.judge(name, way, torn));
        return report;
    }

    /** Runs tshark. MPA is recognised by its first frame, regardless of the port; heuristic dissection of the payload is off. */
    private static List<String> tshark(Path capture, List<String> options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("tshark", "-n", "-r", capture.toString(), "-o", "tcp.try_heuristic_first:TRUE",
            "--disable-protocol", "rpcordma", "--disable-protocol", "smb_direct"));
        command.addAll(options);
        Path out = capture.resolveSibling("tshark.txt");
        Path err = capture.resolveSibling("tshark-errors.txt");
        Process process = new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile()).start();
        if (!process.waitFor(TSHARK_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IllegalStateException(String.join(" ", command) + " failed:\n" + Files.readString(err));
        }
        List<String> lines = Files.readAllLines(out);
        Files.delete(out);
        Files.delete(err);
        return lines;
    }

    private void packet(String[] values) {
        int bytes = Integer.parseInt(of(values, Field.BYTES));
        if (!of(values, Field.MALFORMED).isEmpty()) {
            defect("packet " + of(values, Field.NUMBER) + " is malformed");
        }
        String stream = of(values, Field.STREAM);
        int sender = isOurs(values) ? CaptureReport.OURS : CaptureReport.KERNEL;
        if (of(values, Field.RESET).equals(TRUE)) {
            direction(stream, 1 - sender).reset = true;
        }
        if (bytes == 0 || !of(values, Field.REPEATED).isEmpty()) {
            return;
        }
        Direction way = direction(stream, sender);
        way.carried += bytes;
        for (String length : several(values, Field.PRIVATE)) {
            way.understood += MpaFrame.LENGTH + Integer.parseInt(length);
            startup(values, sender, stream);
        }
        for (String length : several(values, Field.ULPDU)) {
            way.understood += Fpdu.length(Integer.parseInt(length));
        }
        for (String opcode : several(values, Field.OPCODE)) {
            seen(sender, RdmapOpcode.name(Integer.decode(opcode)));
        }
        if (crcOfStream.getOrDefault(stream, false) && several(values, Field.CRC_CHECK).size() != several(values, Field.ULPDU).size()) {
            defect("packet " + of(values, Field.NUMBER) + " has frames without a CRC");
        }
    }

    private Direction direction(String stream, int sender) {
        return directions.computeIfAbsent("stream " + stream + " of " + CaptureReport.SENDERS[sender], name -> new Direction());
    }

    private void startup(String[] values, int sender, String stream) {
        boolean crc = of(values, Field.CRC).equals(TRUE);
        crcOfStream.merge(stream, crc, Boolean::logicalOr);
        seen(sender, (of(values, Field.REQUEST).isEmpty() ? "reply" : "request") + (crc ? " for CRC" : "")
            + (of(values, Field.REJECTED).equals(TRUE) ? " rejects" : ""));
    }

    private void judge(String name, Direction way, boolean torn) {
        long left = way.carried - way.understood;
        if (left < 0 || left > (torn || way.reset ? Fpdu.MAX_LENGTH : 0)) {
            defect(name + ": " + way.understood + " of " + way.carried + " bytes were decoded");
        }
    }

    private static String of(String[] values, Field field) {
        return values[field.ordinal()];
    }

    private static List<String> several(String[] values, Field field) {
        return of(values, field).isEmpty() ? List.of() : List.of(of(values, field).split(","));
    }

    private static boolean isOurs(String[] values) {
        return of(values, Field.IPV4).equals(IpVersion.IPV4.host) || of(values, Field.IPV6).equals(IpVersion.IPV6.host);
    }

    private void seen(int sender, String message) {
        messages.get(sender).merge(message, 1, Integer::sum);
    }

    private void defect(String what) {
        defectCount++;
        if (defects.size() < DEFECTS_KEPT) {
            defects.add(what);
        }
    }

    /**
     * Messages of a sender by the names of {@link RdmapOpcode}; MPA frames are "request", "reply" and "reply rejects", and with the CRC
     * flag "request for CRC" and so on.
     */
    Set<String> messages(int sender) {
        return messages.get(sender).keySet();
    }

    /** Undecoded frames and wrong CRCs. */
    List<String> defects() {
        return defects;
    }

    /** Human-readable summary by sender. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int sender = CaptureReport.OURS; sender <= CaptureReport.KERNEL; sender++) {
            text.append(CaptureReport.SENDERS[sender]).append(":\n");
            messages.get(sender).forEach((message, count) -> text.append("  ").append(count).append(" x ").append(message).append('\n'));
        }
        text.append(defectCount).append(" defects\n");
        defects.forEach(each -> text.append("  ").append(each).append('\n'));
        return text.toString();
    }
}
