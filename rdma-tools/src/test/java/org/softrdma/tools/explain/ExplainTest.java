// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.explain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.tools.ToolRun;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;

class ExplainTest {
    private static ToolRun explain(String... words) {
        return ToolRun.of(console -> new Explain().run("explain", List.of(words), console));
    }

    @Test
    void shouldPrintAnEntry() {
        ToolRun run = explain("rkey-range");

        assertEquals(0, run.exitCode());
        assertEquals("", run.err());
        assertTrue(run.out().startsWith("0x0305 rkey-range\n  Says      rkey … covers […, +…)"), run.out());
        assertTrue(run.out().contains("\n  Status    REM_ACCESS_ERR (10) of the peer's work request\n"), run.out());
        assertTrue(run.out().contains("\n  Rule      IBA "), run.out());
        assertTrue(run.out().contains("\n  To do   "), run.out());
        assertTrue(run.out().lines().allMatch(line -> line.length() <= 100), run.out());
    }

    @ParameterizedTest
    @EnumSource(Reason.class)
    void shouldFindEveryReasonByEachOfItsNames(Reason reason) {
        String page = explain(reason.shortName()).out();

        assertTrue(page.startsWith(String.format("0x%04x %s\n", reason.code(), reason.shortName())), page);
        assertEquals(page, explain(reason.name()).out());
        assertEquals(page, explain(String.format("0x%04x", reason.code())).out());
        assertEquals(page, explain(Integer.toString(reason.code())).out());
        assertEquals(page, explain("wr_id 1 failed: " + Failure.of(Reason.FLUSHED).after(Failure.of(reason))).out(), "a message");
    }

    @Test
    void shouldReadFourDigitsAsMessagesHaveThem() {
        assertTrue(explain("0305").out().startsWith("0x0305 rkey-range\n"));
        assertTrue(explain("041a").out().startsWith("0x041a drop-gsi-full\n"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"IBV_WC_REM_ACCESS_ERR", "rem_access_err", "10", "remote access error"})
    void shouldListTheReasonsOfAStatus(String what) {
        ToolRun run = explain(what);

        assertTrue(run.out().startsWith("REM_ACCESS_ERR (10): remote access error\n"), run.out());
        assertEquals(
            Arrays.stream(Reason.values()).filter(each -> each.status() == WcStatus.REM_ACCESS_ERR).map(Reason::shortName).toList(),
            run.out().lines().filter(line -> line.startsWith("0x")).map(line -> line.split(" +")[1]).toList());
    }

    @ParameterizedTest
    @EnumSource(WcStatus.class)
    void shouldKnowEveryStatus(WcStatus status) {
        ToolRun run = explain("IBV_WC_" + status.name());

        assertEquals(0, run.exitCode());
        assertTrue(run.out().startsWith(status + " (" + status.value() + "): "), run.out());
    }

    /** The words of an entry come before those in its text; few entries are printed, many listed. */
    @ParameterizedTest
    @CsvSource({"retry, 'no-answer lost-too-often receiver-not-ready'", "silence_probes, silent-peer",
        "adapter PINNED, 'local-memory-gone remote-memory-gone'"})
    void shouldPrintTheEntriesOfAWord(String word, String reasons) {
        ToolRun run = explain(word.split(" "));

        assertEquals(List.of(reasons.split(" ")),
            run.out().lines().filter(line -> line.startsWith("0x")).map(line -> line.split(" ")[1]).toList());
        assertTrue(run.out().contains("  To do   "), run.out());
    }

    @Test
    void shouldListTheEntriesOfAFrequentWord() {
        ToolRun run = explain("send_invalid_err");

        assertTrue(run.out().lines().filter(line -> line.startsWith("0x03")).count() > 3, run.out());
        assertFalse(run.out().contains("To do"));
    }

    @Test
    void shouldListAllReasons() {
        assertEquals(Reason.values().length, explain().out().lines().filter(line -> line.startsWith("0x")).count());
    }

    /** Every counter that `rdma statistic` can show leads to an entry: its own, or those of the reasons that it counts. */
    @Test
    void shouldExplainEveryCounter() throws ClassNotFoundException {
        List<String> counters = new ArrayList<>();
        for (String each : List.of("rxe.qp.RxeCounter", "rxe.cm.CmCounter", "siw.qp.SiwCounter", "link.raw.RawCounter",
            "link.udp.UdpCounter", "link.shm.ShmCounter", "link.fault.FaultCounter", "fabric.device.FabricLinkCounter")) {
            for (Object counter : Class.forName("org.softrdma." + each).getEnumConstants()) {
                counters.add(counter.toString().toLowerCase(Locale.ROOT));
            }
        }
        List<String> unknown = counters.stream().filter(name -> Terms.named(name).isEmpty() && Reason.named(name) == null
            && Arrays.stream(Reason.values()).noneMatch(each -> each.text().words().contains(name))).toList();

        assertEquals(List.of(), unknown);
        assertTrue(counters.size() > 120, counters.toString());
    }

    /** The counters of fabrics and services, whose reports give these names; each has an entry of its own, and there are no others. */
    @Test
    void shouldExplainEveryCounterOfFabricsAndServices() throws ClassNotFoundException {
        List<String> counters = new ArrayList<>();
        for (String[] each : new String[][] {
            {"fabric.model.FabricCounter", "", "the fabric"}, {"fabric.sm.SmCounter", "", "the subnet manager"},
            {"fabric.sa.SaCounter", "", "subnet administration"}, {"fabric.ipoib.IpoibCounter", "", "IP over InfiniBand"},
            {"rpcrdma.machine.TransportCounter", "", "RPC-over-RDMA"}, {"rpcrdma.wire.HeaderFault", "refused_", "RPC-over-RDMA"},
            {"storage.rpc.CallCounter", "", "the RPC server"}, {"storage.nvme.controller.NvmeCounter", "", "the NVMe target"},
            {"storage.nvme.wire.NvmeStatus", "status_", "the NVMe target"},
            {"storage.nvme.wire.QueueRequest$Refusal", "refused_", "the NVMe target"}}) {
            for (Object counter : Class.forName("org.softrdma." + each[0]).getEnumConstants()) {
                counters.add(each[1] + ((Enum<?>) counter).name().toLowerCase(Locale.ROOT) + " of " + each[2]);
            }
        }
        List<String> entries = Terms.all().stream().filter(each -> each.kind() == Term.Kind.COUNTER && each.name().contains(" of "))
            .map(Term::name).toList();

        assertEquals(counters.stream().sorted().toList(), entries.stream().sorted().toList());
        for (String counter : counters) {
            String name = counter.substring(0, counter.indexOf(' '));
            String title = name + ", a counter" + counter.substring(name.length()) + "\n  Says ";

            assertTrue(explain(counter).out().startsWith(title), counter);
            assertTrue(explain(name).out().contains(title), counter);
        }
    }

    @Test
    void shouldPrintAllCountersOfAName() {
        assertEquals(List.of("invalidations, a counter of RPC-over-RDMA", "invalidations, a counter of the NVMe target"),
            explain("invalidations").out().lines().filter(line -> line.startsWith("invalidations")).toList());
    }

    @Test
    void shouldExplainEveryRejectionThatTheSpecificationKnows() throws ReflectiveOperationException {
        Method nameOf = Class.forName("org.softrdma.wire.cm.CmRejectReason").getMethod("name", int.class);
        for (int code = 1; code <= 35; code++) {
            String page = explain("reject", Integer.toString(code)).out();
            if (code == 34) {
                assertEquals("", page, "reserved");
                continue;
            }
            assertTrue(page.startsWith("rejected, status " + code + ": " + nameOf.invoke(null, code) + "\n"), page);
            assertTrue(page.contains("§12.6.7.2, code " + code), page);
        }
        assertTrue(explain("invalid", "service", "id").out().startsWith("rejected, status 8: "), "as tools print it");
    }

    @ParameterizedTest
    @EnumSource(Errno.class)
    void shouldExplainEveryErrno(Errno errno) {
        String page = explain(errno.name()).out();

        assertTrue(page.startsWith(errno + " (" + errno.value() + "): " + errno.text() + "\n  Says  "), page);
        assertTrue(page.contains("\n  Causes  ") && page.contains("\n  To do   "), page);
        assertEquals(page, explain("-" + errno.value()).out(), "as events have it");
    }

    /** Every rule of strict devices, by its name and by a finding; there are no entries of other rules. */
    @Test
    void shouldExplainEveryRuleOfStrictDevices() throws ReflectiveOperationException {
        Class<?> rules = Class.forName("org.softrdma.device.findings.StrictRule");
        for (Object rule : rules.getEnumConstants()) {
            String page = explain(rule.toString()).out();

            assertTrue(page.startsWith(rule + ", a rule of strict devices\n  Says  "), page);
            assertEquals(page, explain(rule.toString().toLowerCase(Locale.ROOT).replace('_', '-')).out());
            String finding = Class.forName("org.softrdma.device.findings.Finding").getDeclaredConstructors()[0]
                .newInstance(rule, "rxe0", "a text", "qp 0x11, wr_id 7, post_send at example.Ping.send(Ping.java:42)").toString();
            assertEquals(page, explain(finding).out(), finding);
            assertEquals(page, explain(finding.split(" ")).out(), "as a shell splits it");
        }
        assertEquals(rules.getEnumConstants().length, Terms.all().stream().filter(each -> each.kind() == Term.Kind.STRICT).count());
    }

    @Test
    void shouldHaveOneEntryForEachTerm() {
        assertEquals(List.of(), Terms.all().stream().map(Term::word).filter(word ->
            Terms.all().stream().filter(each -> each.word().equals(word)).count() > 1).toList());
    }

    @Test
    void shouldSuggestWhatWasMeant() {
        ToolRun run = explain("rkey-rnage");

        assertEquals(1, run.exitCode());
        assertEquals("", run.out());
        assertTrue(run.err().startsWith("softrdma explain: nothing is known about 'rkey-rnage'; did you mean 'rkey-range'?\n"), run.err());
    }

    @ParameterizedTest
    @ValueSource(strings = {"0xfff0", "99999", "qwertyuiop"})
    void shouldSayThatItKnowsNothing(String what) {
        ToolRun run = explain(what);

        assertEquals(1, run.exitCode());
        assertTrue(run.err().startsWith("softrdma explain: nothing is known about '" + what + "'\n"), run.err());
    }
}
