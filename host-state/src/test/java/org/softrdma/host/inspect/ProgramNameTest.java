// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.inspect;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProgramNameTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "/jdk/bin/java -XX:+UseSerialGC -Xlog:aot*=off -jar /opt/softrdma.jar rping -s -P | rping",
        "java -XX:+UseSerialGC -cp /a.jar:/b org.softrdma.tools.Softrdma mckey -m 239.1.1.1 | mckey",
        "java -p /mods --enable-native-access=org.softrdma.linux -m org.softrdma.tools/org.softrdma.tools.Softrdma qperf | qperf",
        "java -jar /opt/softrdma.jar | softrdma",
        "java -Xmx1g -classpath /a com.example.Store --port 1 | Store",
        "java -jar target/store-1.0.jar rping | store-1.0",
        "java --version | java",
        "java -cp | java",
        "/usr/bin/rping -s | rping",
        "ib_write_bw | ib_write_bw"})
    void shouldFindTheProgramInACommandLine(String line, String name) {
        assertEquals(name, ProgramName.of(List.of(line.split(" "))));
    }

    @Test
    void shouldHaveNoNameWithoutACommandLine() {
        assertEquals("", ProgramName.of(List.of()));
    }
}
