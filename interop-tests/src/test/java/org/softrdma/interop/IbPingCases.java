// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.softrdma.interop.InteropCase.IpVersion;
import org.softrdma.interop.InteropCase.Role;
import org.softrdma.wire.roce.Opcode;

/**
 * Cases between our ibping, or a C program's umad on our device, and the kernel's user MADs. The original cannot address a peer on RoCE, so
 * a small program of ours exchanges its datagrams through {@code /dev/infiniband/umad0}, by GID.
 */
final class IbPingCases {
    private static final String GROUP = "ibping";
    private static final Duration DEADLINE = Duration.ofSeconds(40);
    private static final String GET = "PING 1";
    private static final String GET_RESPONSE = "PING 81";
    private static final int PINGS = 3;
    /** Timeout of a request that must be answered: a guest on a busy machine is slow. */
    private static final int PATIENT_MS = 20_000;

    private static final String UMAD = "the same small program on both ends, ours under `softrdma run`";

    private IbPingCases() {
    }

    static List<InteropCase> all() {
        String pings = "three pings, each answered with the host's name";
        return List.of(of("ping", pings, Role.CLIENT, IpVersion.IPV4, IbPingCases::weAsk),
            of("ping", pings, Role.CLIENT, IpVersion.IPV6, IbPingCases::weAsk),
            of("ping", pings, Role.SERVER, IpVersion.IPV6, IbPingCases::weAnswer),
            of("umad", UMAD, Role.CLIENT, IpVersion.IPV4, IbPingCases::programAsks),
            of("umad", UMAD, Role.CLIENT, IpVersion.IPV6, IbPingCases::programAsks),
            of("umad", UMAD, Role.SERVER, IpVersion.IPV6, IbPingCases::programAnswers),
            of("unmatched", "our answer over IPv4 is sent, but the kernel matches it to no request", Role.SERVER,
                IpVersion.IPV4, IbPingCases::weAnswerInVain));
    }

    private static InteropCase of(String name, String sentence, Role role, IpVersion ip, InteropCase.Body body) {
        return new InteropCase(GROUP, name, sentence, role, ip, Set.of(Opcode.UD_SEND_ONLY), Set.of(), false, body);
    }

    private static void weAsk(CaseRun run) throws Exception {
        run.expectMessages(CaptureReport.OURS, GET);
        run.expectMessages(CaptureReport.KERNEL, GET_RESPONSE);
        try (RunningCommand server = inGuest(run, "server", "serve")) {
            server.awaitOutput("serving", DEADLINE);
            String line = "./softrdma ibping -t " + PATIENT_MS + " -c " + PINGS + " " + run.ip().guest;
            try (RunningCommand client = run.onHost("client", Map.of(), line.split(" "))) {
                String report = client.awaitSuccess(DEADLINE);
                expect("(Pong from guest\\S* \\(Gid \\S+\\): time [0-9.]+ ms\\n){3}", report);
                expect("\\n3 packets transmitted, 3 received, 0% packet loss, ", report);
            }
        }
    }

    private static void weAnswer(CaseRun run) throws Exception {
        try (RunningCommand server = server(run)) {
            server.awaitOutput("starting to serve", DEADLINE);
            try (RunningCommand client = client(run, PATIENT_MS)) {
                expect("(Pong from \\S+\\n){3}", client.awaitSuccess(DEADLINE));
            }
        }
    }

    private static void programAsks(CaseRun run) throws Exception {
        run.expectMessages(CaptureReport.OURS, GET);
        run.expectMessages(CaptureReport.KERNEL, GET_RESPONSE);
        try (RunningCommand server = inGuest(run, "server", "serve")) {
            server.awaitOutput("serving", DEADLINE);
            try (RunningCommand client = program(run, "client", "ping", Integer.toString(run.ip().gidIndex), run.ip().guest,
                Integer.toString(PINGS), Integer.toString(PATIENT_MS))) {
                expect("(Pong from guest\\S*\\n){3}", client.awaitSuccess(DEADLINE));
            }
        }
    }

    private static void programAnswers(CaseRun run) throws Exception {
        run.expectMessages(CaptureReport.KERNEL, GET);
        run.expectMessages(CaptureReport.OURS, GET_RESPONSE);
        try (RunningCommand server = program(run, "server", "serve")) {
            server.awaitOutput("serving", DEADLINE);
            try (RunningCommand client = client(run, PATIENT_MS)) {
                expect("(Pong from \\S+\\n){3}", client.awaitSuccess(DEADLINE));
            }
        }
    }

    /** Starts the program of the guest on our device. */
    private static RunningCommand program(CaseRun run, String name, String... arguments) {
        List<String> command = new ArrayList<>(List.of("./softrdma", "run", "--private", "--", "python3", "-u",
            KernelLab.module().resolve("src/test/resources/guest/umad-ping.py").toString()));
        command.addAll(List.of(arguments));
        return run.onHost(name, Map.of(), command.toArray(String[]::new));
    }

    /** The original expects its own GID where the packet has an IPv4 header, so the request times out with status 110. */
    private static void weAnswerInVain(CaseRun run) throws Exception {
        try (RunningCommand server = server(run)) {
            server.awaitOutput("starting to serve", DEADLINE);
            try (RunningCommand client = client(run, 2_000)) {
                client.awaitExit(DEADLINE);
                expect("no answer: status 110\\n", client.output());
            }
        }
    }

    private static RunningCommand server(CaseRun run) {
        run.expectMessages(CaptureReport.KERNEL, GET);
        run.expectMessages(CaptureReport.OURS, GET_RESPONSE);
        return run.onHost("server", Map.of(), "./softrdma", "ibping", "-S", "-d");
    }

    private static RunningCommand client(CaseRun run, int timeoutMs) throws Exception {
        return inGuest(run, "client", "ping", Integer.toString(run.ip().gidIndex), run.ip().host, Integer.toString(PINGS),
            Integer.toString(timeoutMs));
    }

    private static RunningCommand inGuest(CaseRun run, String name, String... arguments) throws Exception {
        run.inGuest("modprobe", "modprobe", "ib_umad").awaitSuccess(DEADLINE);
        List<String> command = new ArrayList<>(List.of("python3", "-u", run.share("/guest/umad-ping.py")));
        command.addAll(List.of(arguments));
        return run.inGuest(name, command.toArray(String[]::new));
    }

    private static void expect(String pattern, String output) {
        if (!Pattern.compile(pattern).matcher(output).find()) {
            throw new AssertionError("expected '" + pattern + "', got:\n" + output);
        }
    }
}
