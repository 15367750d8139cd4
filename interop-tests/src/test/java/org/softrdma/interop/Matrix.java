// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.opentest4j.TestAbortedException;
import org.softrdma.interop.InteropCase.IpVersion;
import org.softrdma.interop.InteropCase.Role;

/**
 * Runs cases against one kernel, one after the other, and writes the results to target/interop-NAME.json. The table NAME in docs/interop.md
 * must agree with them.
 */
final class Matrix {
    /** End of perftest's server when the kernel's siw fails its last message, although the peer has it: see {@link #knownDefect}. */
    private static final String CLOSED_WHILE_SENDING = "Bad wc status 2\n Unable to write from socket/rdma_cm\n"
        + "Failed to close connection";
    /** End of perftest's client in C whose second request found no listener. */
    private static final Pattern NOT_YET = Pattern.compile("RDMA_CM_EVENT_(REJECTED; error: 8|UNREACHABLE; error: 1)\\.");
    /**
     * Results by matrix and case. They outlive one run: when failed tests are run again, only those cases run, and the table still shows
     * all.
     */
    private static final Map<String, Map<String, Result>> RESULTS = new HashMap<>();

    private record Result(Outcome outcome, double seconds, int tries, String why) {
    }

    private final KernelLab lab;
    private final String name;
    private final Map<String, Result> results;
    private List<InteropCase> cases;
    private RareCases rare;

    Matrix(KernelLab lab, String name) {
        this.lab = lab;
        this.name = name;
        this.results = RESULTS.computeIfAbsent(name, _ -> new HashMap<>());
    }

    /** Creates a test for each case of this run, and one for the table. */
    Stream<DynamicNode> tests(List<InteropCase> all) {
        cases = all;
        rare = new RareCases(all);
        Map<String, List<DynamicTest>> groups = new LinkedHashMap<>();
        for (InteropCase each : cases) {
            if (isInThisRun(each)) {
                groups.computeIfAbsent(each.group(), group -> new ArrayList<>()).add(dynamicTest(each.id(), () -> run(each)));
            }
        }
        List<DynamicNode> nodes = new ArrayList<>();
        groups.forEach((group, tests) -> nodes.add(dynamicContainer(group, tests)));
        nodes.add(dynamicTest("docs/interop.md shows this matrix", this::report));
        return nodes.stream();
    }

    private boolean isInThisRun(InteropCase interop) {
        return DocTable.isInThisRun(interop.id(), rare.contains(interop));
    }

    private void run(InteropCase interop) throws Exception {
        if (!lab.isAlive()) {
            throw new TestAbortedException("the guest died in an earlier case");
        }
        long beganNs = System.nanoTime();
        Outcome outcome = Outcome.FAILED;
        String why = null;
        int tries = 1;
        try {
            try {
                CaseRun.run(lab, interop);
            } catch (AssertionError failed) {
                String defect = knownDefect(interop, failed);
                if (defect == null) {
                    throw failed;
                }
                System.err.println(interop.id() + ": run again, " + defect + ": " + failed.getMessage());
                tries++;
                CaseRun.run(lab, interop);
            }
            outcome = Outcome.PASSED;
        } catch (InteropCase.Unsupported unsupported) {
            outcome = Outcome.UNSUPPORTED;
            why = unsupported.getMessage();
            throw new TestAbortedException(why);
        } catch (Exception | AssertionError failed) {
            why = failed.getMessage();
            throw failed;
        } finally {
            results.put(interop.id(), new Result(outcome, (System.nanoTime() - beganNs) / 1e9, tries, why));
        }
    }

    /**
     * Detects the known defects of the kernel and of perftest that no peer can prevent (docs/interop.md). Such a case is run once more; the
     * matrix in JSON contains the number of runs.
     * <ul>
     * <li>A requester of rxe 6.1 that repeats a message while its acknowledgement arrives can stop for good, with everything acknowledged
     * on both sides. Then neither program ends; the client is reported, because it is awaited first.
     * <li>siw fails a SEND that it has sent whole if the peer closes before siw looks at the connection again. Our end has the message
     * and ends well.
     * <li>siw hands unsignaled WRITEs to TCP without a copy; if the program changes its buffer before TCP has sent it, the CRC is wrong.
     * <li>perftest's server with {@code -R} listens twice, for its parameters and for its queue pairs, and its client does not wait for the
     * second time.
     * </ul>
     *
     * @return what happened, or null
     */
    private String knownDefect(InteropCase interop, AssertionError failed) throws IOException, InterruptedException {
        if (interop.group().startsWith(CPrograms.PREFIX) && NOT_YET.matcher(String.valueOf(failed.getMessage())).find()) {
            return "perftest's client came before its server listened again";
        }
        if (!lab.isIwarp()) {
            return failed instanceof RunningCommand.TimedOut ? "the kernel's requester stalled" : null;
        }
        Path capture = lab.directory().resolve(interop.id()).resolve(CaseRun.CAPTURE);
        if (!interop.faulty() && Files.exists(capture) && IwarpReport.hasWrongCrcOfKernel(capture)) {
            return "the kernel's siw sent data that changed after its CRC was computed";
        }
        boolean atTheEnd = failed.getMessage().startsWith("guest: ") && failed.getMessage().contains(CLOSED_WHILE_SENDING);
        return atTheEnd ? "the kernel's siw failed a message that had been received" : null;
    }

    private void report() throws IOException {
        List<Object> rows = new ArrayList<>();
        for (InteropCase each : cases) {
            Result result = resultOf(each);
            rows.add(Json.object("group", each.group(), "case", each.name(), "role", each.role().toString(),
                "ip", each.ip().text, "kernel", lab.kernel(), "outcome", result.outcome.name().toLowerCase(Locale.ROOT),
                "seconds", Math.round(result.seconds * 10) / 10.0, "tries", result.tries, "why", result.why));
        }
        Files.writeString(KernelLab.module().resolve("target/interop-" + name + ".json"),
            "[\n" + String.join(",\n", rows.stream().map(Json::format).toList()) + "\n]\n");
        if (!DocTable.isPartialRun()) {
            DocTable.check(name, table());
        }
    }

    private String table() {
        StringBuilder text = new StringBuilder("Peer: " + lab.peer() + ".\n");
        Set<String> groups = new LinkedHashSet<>();
        cases.forEach(each -> groups.add(each.group()));
        for (String group : groups) {
            List<InteropCase> ofGroup = cases.stream().filter(each -> each.group().equals(group)).toList();
            Set<Role> roles = new LinkedHashSet<>();
            Map<String, String> sentences = new LinkedHashMap<>();
            for (InteropCase each : ofGroup) {
                roles.add(each.role());
                sentences.put(each.name(), each.sentence());
            }
            text.append("\n| ").append(group).append(" | what it shows |");
            for (Role role : roles) {
                for (IpVersion ip : IpVersion.values()) {
                    text.append(" we are ").append(role).append(", ").append(ip.text).append(" |");
                }
            }
            text.append("\n|---|---|").append("---|".repeat(roles.size() * 2)).append('\n');
            sentences.forEach((name, sentence) -> {
                text.append("| ").append(name).append(" | ").append(sentence).append(" |");
                for (Role role : roles) {
                    for (IpVersion ip : IpVersion.values()) {
                        text.append(' ').append(word(ofGroup, name, role, ip)).append(" |");
                    }
                }
                text.append('\n');
            });
        }
        return text.toString();
    }

    private String word(List<InteropCase> ofGroup, String name, Role role, IpVersion ip) {
        for (InteropCase each : ofGroup) {
            if (each.name().equals(name) && each.role() == role && each.ip() == ip) {
                Outcome outcome = resultOf(each).outcome;
                return (outcome == Outcome.LEFT_OUT ? Outcome.PASSED : outcome).name().toLowerCase(Locale.ROOT);
            }
        }
        return "–";
    }

    private Result resultOf(InteropCase interop) {
        Outcome without = isInThisRun(interop) ? Outcome.FAILED : Outcome.LEFT_OUT;
        return results.getOrDefault(interop.id(), new Result(without, 0, 0, null));
    }

    /** Shortens 6.1.0-40-amd64 to 6.1, the part that determines behaviour. */
    static String shortVersion(String kernel) {
        String[] parts = kernel.split("\\.");
        return parts[0] + "." + parts[1];
    }
}
