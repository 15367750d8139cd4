// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.explain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.tools.ToolRun;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Every verb and errno with which these modules refuse has an entry, and no entry is about a refusal that there is not. */
class RefusalTest {
    private static final List<String> MODULES = List.of("verbs-facade", "soft-device", "rxe-java", "siw-java", "connection-manager");

    private static RefusalScan scan;

    @BeforeAll
    static void scanTheSources() throws IOException {
        scan = RefusalScan.of(MODULES.stream().map(module -> Path.of("..", module, "src/main/java")).toList());
    }

    private static ToolRun explain(String... words) {
        return ToolRun.of(console -> new Explain().run("explain", List.of(words), console));
    }

    private static SortedSet<String> entries() {
        SortedSet<String> names = new TreeSet<>();
        Terms.all().stream().filter(each -> each.kind() == Term.Kind.REFUSED).forEach(each -> names.add(each.name()));
        return names;
    }

    @Test
    void shouldExplainEveryRefusal() {
        Map<String, SortedSet<String>> missing = new TreeMap<>(scan.pairs());
        missing.keySet().removeAll(entries());

        assertEquals(Map.of(), missing);
        assertTrue(scan.pairs().size() > 180, scan.pairs().toString());
    }

    @Test
    void shouldExplainNothingThatIsNotRefused() {
        SortedSet<String> extra = entries();
        extra.removeAll(scan.pairs().keySet());

        assertEquals(new TreeSet<>(), extra);
    }

    /** Errnos of the system, of events, and verbs that are named by providers in other modules; errnos have entries of their own. */
    @Test
    void shouldFollowAllOtherRefusals() {
        List<String> known = Stream.concat(
            // The errno is the status of an event.
            Stream.of("accept", "connect", "disconnect", "join_multicast", "resolve_addr", "resolve_route")
                .map(verb -> "CmEvents.java ?each " + verb),
            Stream.of(
                // All callers are in other modules.
                "EventAcks.java EINVAL parameter verb", "KeptLock.java EINVAL parameter verb",
                // The errno is the system's.
                "NettyTcpLink.java ?each listen", "NettyTcpLink.java ?each.getValue() listen", "SiwCmConnection.java ?cause connect"))
            .toList();

        assertEquals(known, new ArrayList<>(scan.unresolved()));
    }

    /** Known by reading the sources: a literal, a parameter, a parameter of a parameter, a field, a choice, and a joint choice of both. */
    @ParameterizedTest
    @ValueSource(strings = {"open_xrcd EAGAIN", "query_gid EINVAL", "create_srq_ex EINVAL", "post_send ENOMEM", "establish ENODEV",
        "resolve_addr ENETUNREACH", "reject EINVAL"})
    void shouldFindRefusals(String pair) {
        assertTrue(scan.pairs().containsKey(pair), scan.pairs().keySet().toString());
    }

    @Test
    void shouldPrintAnEntryByEachOfItsNames() {
        String page = explain("post_send", "EINVAL").out();

        assertTrue(page.startsWith("post_send refused with EINVAL\n  Says "), page);
        assertTrue(page.contains("\n  Rule      IBA chapter 11, Post Send Request") && page.contains("max_inline_data")
            && page.contains("\n  To do   "), page);
        assertEquals(page, explain("ibv_post_send EINVAL").out());
        assertEquals(page, explain("refused", "ibv_post_send", "einval").out());
        assertTrue(explain("rdma_listen", "EADDRINUSE").out().startsWith("listen refused with EADDRINUSE\n"));
    }

    @Test
    void shouldFindTheEntryOfAMessage() {
        for (String name : entries()) {
            String[] pair = name.split(" ");
            Errno errno = Errno.valueOf(pair[1]);
            String page = explain(name).out();

            assertTrue(page.startsWith(pair[0] + " refused with " + pair[1] + "\n"), page);
            assertEquals(page, explain(new VerbsException(errno, pair[0], "why: it is so (x)").getMessage()).out());
            assertEquals(page, explain("rping: " + new VerbsException(errno, "rdma_" + pair[0], "why").getMessage()).out());
        }
    }

    @Test
    void shouldExplainTheErrnoOfAVerbItDoesNotKnow() {
        assertEquals(explain("EIO").out(), explain(new VerbsException(Errno.EIO, "other_verb", "why").getMessage()).out());
    }
}
