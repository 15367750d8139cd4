// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.softrdma.wire.net.Udp;
import org.softrdma.wire.roce.Opcode;

/**
 * One run of a case: captures its packets, compares counters before and after, and keeps the output of both sides, the capture and its
 * summary in target/lab/CASE.
 */
final class CaseRun {
    /**
     * Maximum number of times a side may go back to repeat. A guest on an emulated processor occasionally stalls for longer than the 67 ms
     * timeout of the tools. {@link CaptureReport} checks that repeats of ours have a reason.
     */
    private static final int HANDFUL = 100;
    /** Maximum number of times a side may go back with sixteen connections: when the guest stalls, the timers of all of them expire. */
    private static final int HANDFUL_OF_SIXTEEN = 160;
    /**
     * Tolerated number of repeats of ours that were sent too early: on a busy host, the delay between our clock and the wire may be as long
     * as the shortest ACK timeout.
     */
    private static final int HASTY = 10;
    /** Packets per additional permitted step back, in longer cases. */
    private static final int PACKETS_A_REPEAT = 200;
    /** Captures of passed cases larger than this are not kept. */
    private static final long KEPT_BYTES = 16L << 20;
    /** Name of the capture in the directory of a case. */
    static final String CAPTURE = "capture.pcapng";
    /** Capture filter of RoCE. */
    static final String ROCE = "udp port 4791";
    private static final String IWARP = "tcp portrange " + SiwCases.FIRST_PORT + "-" + SiwCases.LAST_PORT;
    private static final String IWARP_OF_QPERF = "tcp and not portrange " + SiwMeasurements.FIRST_QPERF_PORT + "-"
        + SiwMeasurements.LAST_QPERF_PORT;
    private static final Duration LISTEN_DEADLINE = Duration.ofSeconds(30);
    private static final List<String> TROUBLE = List.of("out_of_seq_request", "rcvd_rnr_err", "send_rnr_err", "rcvd_seq_err",
        "completer_retry_err");
    private static final List<String> NEVER = List.of("retry_exceeded_err", "retry_rnr_exceeded_err", "send_err", "link_downed");
    private static final List<String> OUR_NEVER = List.of("drop_bad_icrc", "drop_bad_length", "drop_bad_version", "drop_bad_pkey",
        "drop_wrong_address", "drop_too_short", "send_err", "retry_exceeded_err", "retry_rnr_exceeded_err");

    private final KernelLab lab;
    private final InteropCase interop;
    private final Path directory;
    private final Map<String, Long> ourCounters = new HashMap<>();
    /** Expected messages by sender; an empty set if none is expected. */
    private final List<Set<String>> expectedMessages = new ArrayList<>(List.of(Set.of(), Set.of()));
    private int expectedLosses;
    private Map<String, String> toolEnvironment = Map.of();
    private boolean cPrograms;

    private CaseRun(KernelLab lab, InteropCase interop, Path directory) {
        this.lab = lab;
        this.interop = interop;
        this.directory = directory;
    }

    /** Runs and checks a case; throws if the case failed. */
    static void run(KernelLab lab, InteropCase interop) throws Exception {
        CaseRun run = new CaseRun(lab, interop, CaseDirectory.make(lab.directory().resolve(interop.id())));
        if (lab.isIwarp()) {
            run.overIwarp();
        } else {
            run.overRoce();
        }
    }

    /** Reads the kernel's counters while the capture starts, and while it ends: that takes as long. */
    private void overRoce() throws Exception {
        RunningCommand reading = KernelCounters.start(lab.guest(), file("counters"));
        try (Capture recording = record(ROCE)) {
            Map<String, Long> before = KernelCounters.of(reading);
            perform(recording);
            Map<String, Long> kernel = KernelCounters.difference(before, KernelCounters.read(lab.guest(), file("counters")));
            Path capture = recording.stop();
            CaptureReport report = CaptureReport.of(capture);
            judge(capture, check(report, kernel), report + "kernel counters: " + kernel + "\n");
        }
    }

    private void overIwarp() throws Exception {
        try (Capture recording = record(interop.group().equals(SiwMeasurements.QPERF_GROUP) ? IWARP_OF_QPERF : IWARP)) {
            perform(recording);
            Path capture = recording.stop();
            IwarpReport report = IwarpReport.of(capture, interop.faulty());
            List<String> complaints = new ArrayList<>(report.defects());
            messages(complaints, report.messages(CaptureReport.OURS), CaptureReport.OURS);
            messages(complaints, report.messages(CaptureReport.KERNEL), CaptureReport.KERNEL);
            judge(capture, complaints, report.toString());
        }
    }

    private Capture record(String filter) {
        return Capture.start(lab, directory.resolve(CAPTURE), filter);
    }

    /** Runs the body, and ends the capture with it. */
    private void perform(Capture recording) throws Exception {
        try {
            interop.body().run(this);
        } finally {
            recording.end();
        }
    }

    private void judge(Path capture, List<String> complaints, String report) throws IOException {
        Files.writeString(directory.resolve("capture.txt"), report);
        if (!complaints.isEmpty()) {
            throw new AssertionError(interop.id() + ": the data is right, but\n  " + String.join("\n  ", complaints) + "\n" + report
                + "see " + directory);
        }
        if (Files.size(capture) > KEPT_BYTES && !Boolean.getBoolean("softrdma.keepCaptures")) {
            Files.delete(capture);
        }
    }

    private List<String> check(CaptureReport report, Map<String, Long> kernel) {
        List<String> complaints = new ArrayList<>(report.defects());
        boolean weRequest = interop.role() != InteropCase.Role.RESPONDER;
        boolean kernelRequests = interop.role() != InteropCase.Role.REQUESTER;
        // In a ping-pong both sides request and both respond.
        if (weRequest) {
            missing(complaints, report, CaptureReport.OURS, interop.requests());
            missing(complaints, report, CaptureReport.KERNEL, interop.responses());
        }
        if (kernelRequests) {
            missing(complaints, report, CaptureReport.KERNEL, interop.requests());
            missing(complaints, report, CaptureReport.OURS, interop.responses());
        }
        messages(complaints, report.messages(CaptureReport.OURS), CaptureReport.OURS);
        messages(complaints, report.messages(CaptureReport.KERNEL), CaptureReport.KERNEL);
        if (expectedLosses > 0 && report.lostMessages(CaptureReport.OURS) != expectedLosses) {
            complaints.add(report.lostMessages(CaptureReport.OURS) + " of our messages are lost, not " + expectedLosses);
        }
        if (interop.group().equals(PingPongCases.NO_OFFLOAD_GROUP) && report.isOursInTrains()) {
            complaints.add("the kernel segmented packet trains of ours although offload is off");
        }
        if (interop.group().equals(PingPongCases.RAW_GROUP) && PingPongCases.showsTrains(interop) && !report.isOursInTrains()) {
            complaints.add("no packet train of ours was segmented although offload is on");
        }
        NEVER.forEach(name -> {
            if (kernel.containsKey(name) && !interop.faulty()) {
                complaints.add("the kernel counted " + name + " " + kernel.get(name));
            }
        });
        OUR_NEVER.forEach(name -> {
            if (ourCounters.containsKey(name) && !interop.faulty()) {
                complaints.add("we counted " + name + " " + ourCounters.get(name));
            }
        });
        if (interop.faulty()) {
            return complaints;
        }
        if (report.hasty().size() > HASTY) {
            complaints.addAll(report.hasty());
        }
        int handful = interop.group().endsWith(PingPongCases.SRQ_GROUP) ? HANDFUL_OF_SIXTEEN : HANDFUL;
        int limit = handful + (report.packets(CaptureReport.OURS) + report.packets(CaptureReport.KERNEL)) / PACKETS_A_REPEAT;
        for (int sender = CaptureReport.OURS; sender <= CaptureReport.KERNEL; sender++) {
            if (report.bursts(sender) > limit) {
                complaints.add((sender == CaptureReport.OURS ? "we" : "the kernel") + " went back to repeat " + report.bursts(sender)
                    + " times, more than " + limit);
            }
        }
        if (kernel.getOrDefault("duplicate_request", 0L) > report.repeated(CaptureReport.OURS)) {
            complaints.add("the kernel counted duplicate_request " + kernel.get("duplicate_request") + ", we repeated "
                + report.repeated(CaptureReport.OURS));
        }
        for (String name : TROUBLE) {
            if (kernel.getOrDefault(name, 0L) > limit) {
                complaints.add("the kernel counted " + name + " " + kernel.get(name));
            }
            if (ourCounters.getOrDefault(name, 0L) > limit) {
                complaints.add("we counted " + name + " " + ourCounters.get(name));
            }
        }
        return complaints;
    }

    private static void missing(List<String> complaints, CaptureReport report, int sender, Set<Integer> expected) {
        Set<String> missing = new TreeSet<>();
        for (int opcode : expected) {
            if (!report.opcodes(sender).contains(opcode)) {
                missing.add(Opcode.name(opcode));
            }
        }
        if (!missing.isEmpty()) {
            complaints.add("never seen from " + (sender == CaptureReport.OURS ? "us" : "the kernel") + ": " + String.join(", ", missing));
        }
    }

    private void messages(List<String> complaints, Set<String> seen, int sender) {
        String who = sender == CaptureReport.OURS ? "us" : "the kernel";
        Set<String> missing = new TreeSet<>(expectedMessages.get(sender));
        missing.removeAll(seen);
        if (!missing.isEmpty()) {
            complaints.add("never seen from " + who + ": " + String.join(", ", missing));
        }
    }

    // ---- what a body uses ----

    /** Path of a text file of this case. */
    Path file(String name) {
        return directory.resolve(name + ".txt");
    }

    Guest guest() {
        return lab.guest();
    }

    /** Name of the device at either end. */
    String device() {
        return lab.device();
    }

    InteropCase.IpVersion ip() {
        return interop.ip();
    }

    /**
     * Copies a program into the directory shared with the guest.
     *
     * @return its path in the guest
     */
    String share(String resource) throws IOException {
        return lab.share(resource);
    }

    RunningCommand inGuest(String name, String... command) {
        return lab.guest().start(file(name), List.of(command));
    }

    RunningCommand onHost(String name, Map<String, String> environment, String... command) {
        Map<String, String> all = new HashMap<>(toolEnvironment);
        all.putAll(environment);
        return lab.tool(file(name), all, cPrograms ? CPrograms.inPlaceOf(command) : command);
    }

    /** Runs the unmodified C programs on our device in place of our tools from now on. */
    void useCPrograms() {
        cPrograms = true;
    }

    /** Makes our tools send and receive whole frames from now on. */
    void useRawLink() {
        toolEnvironment = lab.inRawFrames();
    }

    /** Waits until a started server listens on a TCP port. Reads /proc, because the server would take a connection for its client. */
    void awaitListener(boolean guest, int port, RunningCommand server) {
        String look = String.format("cat /proc/net/tcp /proc/net/tcp6 | grep -q ':%04X [0-9A-F:]* 0A '", port);
        awaitListener(guest, look, port, server);
    }

    private void awaitListener(boolean guest, String look, int port, RunningCommand server) {
        long untilNs = System.nanoTime() + LISTEN_DEADLINE.toNanos();
        while (System.nanoTime() - untilNs < 0) {
            if (!server.isRunning()) {
                throw new AssertionError("the server ended:\n" + server.output());
            }
            try (RunningCommand looking = guest ? inGuest("listening", "sh", "-c", look)
                    : onHost("listening", Map.of(), "sh", "-c", look)) {
                if (looking.awaitExit(LISTEN_DEADLINE) == 0) {
                    return;
                }
            }
        }
        throw new AssertionError("nothing listens on port " + port + " after " + LISTEN_DEADLINE.toSeconds() + " s:\n" + server.output());
    }

    /**
     * Waits until a started server listens on a port of the connection manager. On RoCE, the socket of our device is checked instead: our
     * server listens shortly after it exists. A daemon's socket exists longer, and its identifiers are asked for.
     */
    void awaitRdmaListener(boolean guest, int port, RunningCommand server) {
        if (guest || cPrograms) {
            String rdma = guest ? "rdma" : "./softrdma rdma";
            awaitListener(guest, rdma + " resource show cm_id | grep -q 'state LISTEN.*:" + port + " '", port, server);
        } else if (lab.isIwarp()) {
            awaitListener(false, port, server);
        } else {
            awaitListener(false, String.format("cat /proc/net/udp /proc/net/udp6 | grep -q ':%04X '", Udp.DEST_PORT_ROCE), port, server);
        }
    }

    /**
     * Sets the messages that must be seen from a sender: messages of the connection manager, by their {@link CaptureReport#messages} names,
     * or on iWARP any messages, by their {@link IwarpReport#messages} names.
     */
    void expectMessages(int sender, String... messages) {
        expectedMessages.set(sender, Set.copyOf(List.of(messages)));
    }

    /** Sets the number of our connection manager messages that {@link #faults} must lose; for cases with one process of ours. */
    void expectLosses(int count) {
        expectedLosses = count;
    }

    /**
     * Sets the faults on the link of our device from now on.
     *
     * @param faults a fault plan; "none" for no faults
     */
    void faults(String faults) {
        onHost("faults", Map.of(), "./softrdma", "rdma", "link", "set", "rxe0", "fault", faults).awaitSuccess(LISTEN_DEADLINE);
    }

    /** Waits until the guest has no queue pair but the GSI's: queue pairs of a killed process are released by the kernel later. */
    void awaitNoQueuePairsInGuest() {
        long untilNs = System.nanoTime() + LISTEN_DEADLINE.toNanos();
        String look = "! rdma resource show qp | grep -v 'type GSI'";
        while (System.nanoTime() - untilNs < 0) {
            try (RunningCommand looking = inGuest("queue-pairs", "sh", "-c", look)) {
                if (looking.awaitExit(LISTEN_DEADLINE) == 0) {
                    return;
                }
            }
        }
        throw new AssertionError("the guest still has queue pairs, see " + file("queue-pairs"));
    }

    /** Records a counter of ours for the check afterwards. */
    void ourCounter(String name, long value) {
        ourCounters.put(name, value);
    }
}
