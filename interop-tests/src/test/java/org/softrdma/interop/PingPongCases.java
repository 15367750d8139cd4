// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.softrdma.interop.InteropCase.IpVersion;
import org.softrdma.interop.InteropCase.Role;
import org.softrdma.wire.roce.Opcode;

/** Cases between the kernel's {@code ibv_*_pingpong} programs and ours, both ways round. */
final class PingPongCases {
    private static final int PORT = 18515;
    private static final Duration DEADLINE = Duration.ofSeconds(90);
    private static final Map<String, String> PORTABLE = Map.of("SOFTRDMA_JAVA_OPTS", "-Dsoftrdma.link=nio");

    /** Heading of the cases in which no train of ours may be seen. */
    static final String NO_OFFLOAD_GROUP = "no offload";
    /** Heading of the cases whose device on our side sends and receives whole frames. */
    static final String RAW_GROUP = "raw link";
    /** Heading of the cases with many connections at once. */
    static final String SRQ_GROUP = "ibv_srq_pingpong";
    private static final Map<String, String> NO_OFFLOAD = Map.of("SOFTRDMA_JAVA_OPTS", "-Dsoftrdma.offload=off");
    private static final Set<String> WITHOUT_OFFLOAD = Set.of("defaults", "size-65536", "size-1M");

    /** Messages each way if a program is not given {@code -n}. */
    private static final int DEFAULT_ITERATIONS = 1000;

    /** Options of one variant, the same on both sides, besides {@code -n}. */
    private record Variant(String name, String sentence, int size, int iterations, int mtu, List<String> options) {
        static Variant of(String name, String sentence, int size, int iterations, int mtu, String... options) {
            return new Variant(name, sentence, size, iterations, mtu, List.of(options));
        }
    }

    private static final List<Variant> VARIANTS = List.of(
        Variant.of("defaults", "1000 messages of 4096 bytes each way", 4096, 1000, 1024),
        Variant.of("size-1", "messages of 1 byte, three of pad", 1, 300, 1024, "-s", "1"),
        Variant.of("size-33", "messages of 33 bytes", 33, 300, 1024, "-s", "33"),
        Variant.of("size-65536", "64 packets a message", 65536, 200, 1024, "-s", "65536"),
        Variant.of("size-1M", "1024 packets a message, beyond every window", 1 << 20, 20, 1024, "-s", "1048576"),
        Variant.of("mtu-256", "path MTU 256", 4096, 300, 256, "-m", "256"),
        Variant.of("mtu-4096", "path MTU 4096", 4096, 300, 4096, "-m", "4096"),
        Variant.of("events", "both sleep on completion events", 4096, 300, 1024, "-e"),
        Variant.of("validate", "the server checks what it received", 4096, 300, 1024, "-c"));

    /**
     * Variants over UC. Nothing is repeated there, and a lost packet ends the exchange, so messages are small enough for any socket's
     * buffer.
     */
    private static final List<Variant> UC_VARIANTS = List.of(
        Variant.of("defaults", "1000 messages of 4096 bytes each way", 4096, 1000, 1024),
        Variant.of("size-1", "messages of 1 byte, three of pad", 1, 300, 1024, "-s", "1"),
        Variant.of("size-1024", "messages of exactly one packet", 1024, 300, 1024, "-s", "1024"),
        Variant.of("size-65536", "16 packets a message, checked by the server", 65536, 100, 4096, "-s", "65536", "-m", "4096", "-c"),
        Variant.of("validate", "the server checks what it received", 4096, 300, 1024, "-c"));

    private static final List<Variant> UD_VARIANTS = List.of(
        Variant.of("defaults", "1000 datagrams of 1024 bytes each way", 1024, 1000, 4096),
        Variant.of("size-1", "datagrams of 1 byte, three of pad", 1, 300, 4096, "-s", "1"),
        Variant.of("size-2048", "datagrams of 2048 bytes, checked by the server", 2048, 300, 4096, "-s", "2048", "-c"),
        Variant.of("size-4096", "datagrams of the port's maximum length", 4096, 300, 4096, "-s", "4096"),
        Variant.of("events", "both sleep on completion events", 1024, 300, 4096, "-e"),
        Variant.of("validate", "the server checks what it received", 1024, 300, 4096, "-c"));

    /**
     * Variants with sixteen simultaneous connections that receive into one shared queue; the iterations are the total over all connections.
     */
    private static final List<Variant> SRQ_VARIANTS = List.of(
        Variant.of("defaults", "1000 messages of 4096 bytes each way, over 16 connections", 4096, 1000, 1024),
        Variant.of("size-1", "messages of 1 byte, three of pad", 1, 300, 1024, "-s", "1"),
        Variant.of("size-1025", "two packets a message, checked by the server", 1025, 300, 1024, "-s", "1025", "-c"),
        Variant.of("size-65536", "64 packets a message over 4 connections, checked by the server", 65536, 100, 1024, "-s", "65536",
            "-q", "4", "-c"));

    private PingPongCases() {
    }

    static List<InteropCase> all() {
        List<InteropCase> cases = new ArrayList<>();
        addAll(cases, "ibv_rc_pingpong", "ibv_rc_pingpong", VARIANTS, Map.of());
        addAll(cases, NO_OFFLOAD_GROUP, "ibv_rc_pingpong",
            VARIANTS.stream().filter(variant -> WITHOUT_OFFLOAD.contains(variant.name)).toList(), NO_OFFLOAD);
        addAll(cases, SRQ_GROUP, "ibv_srq_pingpong", SRQ_VARIANTS, Map.of());
        addAll(cases, "ibv_uc_pingpong", "ibv_uc_pingpong", UC_VARIANTS, Map.of());
        addAll(cases, "ibv_ud_pingpong", "ibv_ud_pingpong", UD_VARIANTS, Map.of());
        for (Role role : List.of(Role.CLIENT, Role.SERVER)) {
            cases.add(make("portable link", "ibv_rc_pingpong",
                Variant.of("nio", "-Dsoftrdma.link=nio, plain Java sockets only", 4096, 300, 1024),
                role, IpVersion.IPV4, PORTABLE));
        }
        addRaw(cases);
        return cases;
    }

    /**
     * Whether a train of ours must be visible: the messages are long enough, and the IP identifications that show a train exist in IPv4
     * only.
     */
    static boolean showsTrains(InteropCase interop) {
        return interop.ip() == IpVersion.IPV4 && interop.requests().contains(Opcode.RC_SEND_MIDDLE);
    }

    private static void addRaw(List<InteropCase> cases) {
        Variant rc = Variant.of("rc-65536", "ibv_rc_pingpong in raw frames: 64 packets a message, in trains", 65536, 200, 1024,
            "-s", "65536", "-c");
        Variant uc = Variant.of("uc", "ibv_uc_pingpong in raw frames, checked by the server", 4096, 300, 1024, "-c");
        Variant ud = Variant.of("ud", "ibv_ud_pingpong in raw frames, checked by the server", 2048, 300, 4096, "-s", "2048", "-c");
        for (Role role : List.of(Role.CLIENT, Role.SERVER)) {
            for (IpVersion ip : IpVersion.values()) {
                cases.add(makeRaw("ibv_rc_pingpong", rc, role, ip));
                cases.add(makeRaw("ibv_ud_pingpong", ud, role, ip));
            }
            cases.add(makeRaw("ibv_uc_pingpong", uc, role, IpVersion.IPV4));
        }
    }

    private static InteropCase makeRaw(String tool, Variant variant, Role role, IpVersion ip) {
        InteropCase usual = make(RAW_GROUP, tool, variant, role, ip, Map.of());
        return new InteropCase(RAW_GROUP, usual.name(), usual.sentence(), role, ip, usual.requests(), usual.responses(), false, run -> {
            run.useRawLink();
            usual.body().run(run);
        });
    }

    private static void addAll(List<InteropCase> cases, String group, String tool, List<Variant> variants,
            Map<String, String> environment) {
        for (Variant variant : variants) {
            for (Role role : List.of(Role.CLIENT, Role.SERVER)) {
                for (IpVersion ip : IpVersion.values()) {
                    cases.add(make(group, tool, variant, role, ip, environment));
                }
            }
        }
    }

    private static InteropCase make(String group, String tool, Variant variant, Role role, IpVersion ip, Map<String, String> environment) {
        int transport = switch (tool) {
            case "ibv_rc_pingpong", "ibv_srq_pingpong" -> Opcode.TRANSPORT_RC;
            case "ibv_uc_pingpong" -> Opcode.TRANSPORT_UC;
            default -> Opcode.TRANSPORT_UD;
        };
        Set<Integer> answers = transport == Opcode.TRANSPORT_RC ? Set.of(Opcode.RC_ACKNOWLEDGE) : Set.of();
        return new InteropCase(group, variant.name, variant.sentence, role, ip, sends(transport, variant), answers, false,
            run -> exchange(run, tool, variant, role, ip, environment));
    }

    private static Set<Integer> sends(int transport, Variant variant) {
        int first = transport | Opcode.RC_SEND_FIRST;
        int middle = transport | Opcode.RC_SEND_MIDDLE;
        int last = transport | Opcode.RC_SEND_LAST;
        if (variant.size <= variant.mtu) {
            return Set.of(transport | Opcode.RC_SEND_ONLY);
        }
        return variant.size <= 2 * variant.mtu ? Set.of(first, last) : Set.of(first, middle, last);
    }

    private static void exchange(CaseRun run, String tool, Variant variant, Role role, IpVersion ip, Map<String, String> environment) {
        boolean guestServes = role == Role.CLIENT;
        List<String> ours = new ArrayList<>(List.of("./softrdma"));
        List<String> theirs = new ArrayList<>(List.of("stdbuf", "-oL"));
        for (List<String> command : List.of(ours, theirs)) {
            command.addAll(List.of(tool, "-d", "rxe0", "-g", Integer.toString(ip.gidIndex)));
            command.addAll(variant.options);
            if (variant.iterations != DEFAULT_ITERATIONS) {
                command.addAll(List.of("-n", Integer.toString(variant.iterations)));
            }
        }
        // The address exchange always uses IPv4: the original listens there only.
        (guestServes ? ours : theirs).add(guestServes ? IpVersion.IPV4.guest : IpVersion.IPV4.host);
        String[] inGuest = theirs.toArray(String[]::new);
        String[] onHost = ours.toArray(String[]::new);
        try (RunningCommand server = guestServes ? run.inGuest("server", inGuest) : run.onHost("server", environment, onHost)) {
            run.awaitListener(guestServes, PORT, server);
            try (RunningCommand client = guestServes ? run.onHost("client", environment, onHost) : run.inGuest("client", inGuest)) {
                check(client.awaitSuccess(DEADLINE), variant);
                check(server.awaitSuccess(DEADLINE), variant);
            }
        }
    }

    private static void check(String output, Variant variant) {
        String bytes = (long) variant.size * variant.iterations * 2 + " bytes in ";
        if (!output.contains(bytes) || !output.contains(variant.iterations + " iters in ")) {
            throw new AssertionError("expected '" + bytes + "', got:\n" + output);
        }
        if (output.contains("invalid data")) {
            throw new AssertionError(output);
        }
    }
}
