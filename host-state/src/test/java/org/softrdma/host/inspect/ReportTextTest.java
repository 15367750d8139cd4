// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.inspect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReportTextTest {
    private static final String TEXT = """
        softrdma-report 1
        process 4711 rping
        device rxe0
        counter sent_pkts 17
        counter drop_bad_icrc 0
        total qp 2
        total srq 1
        qp lqpn=18 type=RC state=RTS
        qp lqpn=19 type=UD
        srq srqn=1
        device siw0
        end
        """;

    private static ProcessReport report() {
        ReportBuilder builder = new ReportBuilder();
        builder.device("rxe0").add(Resource.of(ResourceKind.QP).with("lqpn", 18).with("type", "RC").with("state", "RTS"));
        builder.device("rxe0").add(Resource.of(ResourceKind.QP).with("lqpn", 19).with("type", "UD"));
        builder.device("rxe0").add(Resource.of(ResourceKind.SRQ).with("srqn", 1));
        Map<String, Long> counters = new LinkedHashMap<>();
        counters.put("sent_pkts", 17L);
        counters.put("drop_bad_icrc", 0L);
        builder.device("rxe0").counters(counters);
        builder.device("siw0");
        return builder.build(4711, "rping");
    }

    @Test
    void shouldWriteWhatTheFormatSays() throws ReportText.MalformedException {
        assertEquals(TEXT, ReportText.format(report()));
        assertEquals(report(), ReportText.parse(TEXT));
    }

    @Test
    void shouldNotTakeAPartForTheWhole() {
        for (int length = 0; length < TEXT.length(); length++) {
            String part = TEXT.substring(0, length);
            assertThrows(ReportText.MalformedException.class, () -> ReportText.parse(part), part);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"nonsense x=1", "qp lqpn", "qp =1", "qp lqpn=", "qp LQPN=1", "qp  lqpn=1", "counter x", "counter x y",
        "counter x 1 2",
        "total frogs 1", "total qp many", "device", "device a b", "qp lqpn=1\t2", "qp lqpn=\u00e9", "", "counter x 99999999999999999999"})
    void shouldRefuseLinesThatAreNone(String line) {
        assertThrows(ReportText.MalformedException.class, () -> ReportText.parse(TEXT.replace("end\n", line + "\nend\n")), line);
    }

    @ParameterizedTest
    @ValueSource(strings = {"softrdma-report 2\nprocess 1 a\nend\n", "softrdma-report 1\nprocess one a\nend\n",
        "softrdma-report 1\ndevice a\nend\n",
        "softrdma-report 1\nprocess 1 a\nqp lqpn=1\nend\n", "softrdma-report 1\nend\n", "\nend\n", "end\n"})
    void shouldRefuseAnotherBeginning(String text) {
        assertThrows(ReportText.MalformedException.class, () -> ReportText.parse(text), text);
    }

    @Test
    void shouldRefuseValuesThatAreTooLong() throws ReportText.MalformedException {
        String fits = TEXT.replace("type=UD", "type=" + "x".repeat(255));

        assertEquals(255, ReportText.parse(fits).devices().getFirst().resources().get(1).attribute("type").length());
        assertThrows(ReportText.MalformedException.class, () -> ReportText.parse(TEXT.replace("type=UD", "type=" + "x".repeat(256))));
    }

    @Test
    void shouldReplaceWhatCannotStandInALine() throws ReportText.MalformedException {
        ProcessReport strange = new ProcessReport(1, "a b\nend\n\u00e9", List.of());

        assertEquals("a_b_end__", ReportText.parse(ReportText.format(strange)).command());
        assertEquals("_", ReportText.parse(ReportText.format(new ProcessReport(1, "", List.of()))).command());
    }

    @Test
    void shouldCountWhatItDoesNotList() throws ReportText.MalformedException {
        ReportBuilder builder = new ReportBuilder();
        for (int i = 0; i <= ReportBuilder.MAX_LISTED; i++) {
            builder.device("rxe0").add(Resource.of(ResourceKind.MR).with("mrn", i));
        }
        DeviceReport device = ReportText.parse(ReportText.format(builder.build(1, "a"))).devices().getFirst();

        assertEquals(ReportBuilder.MAX_LISTED, device.resources().size());
        assertEquals(ReportBuilder.MAX_LISTED + 1L, device.totals().get(ResourceKind.MR));
    }

    @Property
    void shouldReadWhatItWrites(@ForAll("reports") ProcessReport report) throws ReportText.MalformedException {
        assertEquals(report, ReportText.parse(ReportText.format(report)));
    }

    @Provide
    Arbitrary<ProcessReport> reports() {
        Arbitrary<String> words = Arbitraries.strings().withCharRange('!', '~').ofMinLength(1).ofMaxLength(20);
        Arbitrary<String> names = Arbitraries.strings().withCharRange('a', 'z').withChars("0123456789_-").ofMinLength(1).ofMaxLength(20);
        Arbitrary<Resource> resources = Combinators.combine(Arbitraries.of(ResourceKind.class), Arbitraries.maps(names, words).ofMaxSize(5))
            .as(Resource::new);
        Arbitrary<DeviceReport> devices = Combinators.combine(words, Arbitraries.maps(names, Arbitraries.longs()).ofMaxSize(5),
            Arbitraries.maps(Arbitraries.of(ResourceKind.class), Arbitraries.longs()), resources.list().ofMaxSize(5)).as(DeviceReport::new);
        return Combinators.combine(Arbitraries.longs(), words, devices.list().ofMaxSize(3)).as(ProcessReport::new);
    }

    /** Any text parses to a report or throws the one exception. */
    @Property
    void shouldSurviveAnything(@ForAll("mutations") String text) {
        try {
            ReportText.parse(text);
        } catch (ReportText.MalformedException expected) {
            // refused
        }
    }

    @Provide
    Arbitrary<String> mutations() {
        List<String> pieces = new ArrayList<>(TEXT.lines().map(line -> line + "\n").toList());
        pieces.addAll(List.of("\n", " ", "=", "qp", "end\n", "counter ", "-1", "\u0000", "x=y", "process 1 b\n"));
        Arbitrary<String> shuffled = Arbitraries.of(pieces).list().ofMaxSize(12).map(lines -> String.join("", lines));
        return Arbitraries.oneOf(shuffled, shuffled.map(text -> text + "end\n"),
            shuffled.map(text -> TEXT.replace("end\n", text + "end\n")),
            Arbitraries.strings().ofMaxLength(200));
    }
}
