// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.softrdma.tools.ToolRun;

/** Expected texts were printed by the formatting of qperf 0.4.11. */
class ResultTableTest {
    static Stream<String> values() {
        return Golden.lines("values.txt").filter(line -> !line.startsWith("#"));
    }

    @ParameterizedTest
    @MethodSource("values")
    void shouldScaleAndRoundAsTheOriginal(String line) {
        String[] words = line.substring(0, line.indexOf(" |")).split(",");
        Display display = new Display();
        display.precision = Integer.parseInt(words[0]);
        display.unifyUnits = words[1].equals("1");

        assertEquals(line.substring(line.indexOf(" |") + 2) + "\n", printed(display, table -> add(table, words[3], words[2])));
    }

    private static void add(ResultTable table, String kind, String value) {
        switch (kind) {
            case "time" -> table.time("x", Double.parseDouble(value));
            case "rate" -> table.rate("x", Double.parseDouble(value));
            case "band" -> table.bandwidth("x", Double.parseDouble(value));
            case "cost" -> table.cost("x", Double.parseDouble(value));
            case "cpus" -> table.processors("x", Double.parseDouble(value));
            case "size" -> table.size("x", Long.parseLong(value));
            case "long" -> table.count("x", Long.parseLong(value));
            default -> throw new IllegalArgumentException(kind);
        }
    }

    @Test
    void shouldAlignNamesAndNumbersButNotTexts() {
        assertEquals(List.of("    a         =      5 sec", "    text      =  rxe0:1", "    longer_x  =  1,024 "),
            printed(new Display(), table -> {
                table.time("a", 5);
                table.text("text", "rxe0:1");
                table.count("longer_x", 1024);
            }).lines().toList());
    }

    private static String printed(Display display, Consumer<ResultTable> fill) {
        return ToolRun.of(console -> {
            ResultTable table = new ResultTable(display);
            fill.accept(table);
            table.print(console);
            return 0;
        }).out();
    }
}
