// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.softrdma.interop.InteropCase.Role;

/** The cases of a matrix that run in the profile {@code soak} only, so that a build takes no longer than an hour. */
final class RareCases {
    /** Cases that differ from one of every run only in the IP version, or in a C program that has the same packets. */
    private static final Pattern LIKE_ANOTHER = Pattern.compile("ibv_\\w+_pingpong-(?!defaults-).*-IPv6"
        + "|(ibv_srq_pingpong-defaults|raw link-ud)-.*-IPv6|no offload-(?!size-65536-client-IPv4).*"
        + "|verbs-(write-33|cmp-swap|send-imm-3001|pipeline)-.*-IPv6"
        + "|connections-(ucmatose|rdma_client|rstream|refused|udaddy)-.*-IPv6|siw-ucmatose-.*-IPv6"
        + "|C ibv_rc_pingpong-(events|validate)-.*|C .*-IPv6"
        + "|C perftest RC-(write_lat|write-4qp-both|send-events)-.*|C perftest -R-ud-send_bw-.*"
        + "|C (connections|siw)-(cmtime|rping-65000|rdma_client|refused)-.*");
    /** Groups of tools, in which most cases run with one role in every run: first the one, then the other. */
    private static final Pattern OF_TOOLS = Pattern.compile("ibv_.*|qperf|perftest .*|connections|siw|siw perftest .*|siw qperf|C .*");
    /** Cases of these groups that run with both roles: the first of their kind, and those in which the roles differ most. */
    private static final Pattern BOTH_ROLES = Pattern.compile("defaults|size-65536|size-1M|write_bw|send_lat|read_bw|rc_bw|rc_lat|conf"
        + "|rping|rping-raw|rping-persistent|mckey|killed|ended|lost-.*|rtr-.*|revision-1|markers|rping-no-crc");

    private final Set<String> ids = new HashSet<>();

    RareCases(Collection<InteropCase> all) {
        Map<String, Set<Role>> roles = new HashMap<>();
        all.forEach(each -> roles.computeIfAbsent(withoutRole(each), _ -> new HashSet<>()).add(each.role()));
        Map<String, Set<String>> names = new HashMap<>();
        for (InteropCase each : all) {
            Set<String> ofGroup = names.computeIfAbsent(each.group(), _ -> new LinkedHashSet<>());
            ofGroup.add(each.name());
            boolean inTheOtherRole = isOfTools(each) && roles.get(withoutRole(each)).size() > 1
                && weAsk(each) == isOdd(ofGroup, each.name());
            if (inTheOtherRole || LIKE_ANOTHER.matcher(each.id()).matches()) {
                ids.add(each.id());
            }
        }
    }

    private static String withoutRole(InteropCase each) {
        return each.group() + "-" + each.name() + "-" + each.ip();
    }

    private static boolean isOfTools(InteropCase each) {
        return OF_TOOLS.matcher(each.group()).matches() && !BOTH_ROLES.matcher(each.name()).matches();
    }

    private static boolean weAsk(InteropCase each) {
        return each.role() == Role.CLIENT || each.role() == Role.REQUESTER;
    }

    private static boolean isOdd(Set<String> names, String name) {
        return List.copyOf(names).indexOf(name) % 2 != 0;
    }

    boolean contains(InteropCase each) {
        return ids.contains(each.id());
    }
}
