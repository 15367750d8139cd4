// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.runner;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.Main;

/** The JMH benchmarks, short and with the gc profiler unless told otherwise. */
final class Micro {
    private static final List<String> DEFAULTS = List.of("-f", "1", "-wi", "3", "-w", "1", "-i", "5", "-r", "1", "-prof", "gc",
        "-jvmArgsAppend", "--enable-native-access=ALL-UNNAMED");

    private Micro() {
    }

    static void run(List<String> arguments) throws IOException {
        List<String> all = new ArrayList<>(arguments);
        for (int i = 0; i < DEFAULTS.size(); i += 2) {
            if (!arguments.contains(DEFAULTS.get(i))) {
                all.addAll(DEFAULTS.subList(i, i + 2));
            }
        }
        Main.main(all.toArray(String[]::new));
    }
}
