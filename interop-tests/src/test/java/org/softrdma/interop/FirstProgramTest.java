// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** First programs of a user in C++ and in Python, with each other: those that docs/c-programs.md shows. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FirstProgramTest {
    @RegisterExtension
    static final NamespaceExtension NAMESPACES = new NamespaceExtension("ip", "setpriv", "stdbuf", "python3", LabProgram.CPP_COMPILER);

    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final int FIRST_PORT = 25_000;

    private VethPair wire;
    private Path cpp;
    private int port = FIRST_PORT;

    @BeforeAll
    void connect() throws IOException {
        wire = new VethPair("first-programs", 1500);
        wire.addDevicesOf("rxe");
        cpp = LabProgram.compile("first-write", wire.directory(), LabProgram.CPP_COMPILER, "-std=c++17", "-lrdmacm", "-libverbs");
    }

    @AfterAll
    void disconnect() {
        wire.stopDaemons();
        wire.close();
    }

    @ParameterizedTest
    @CsvSource({"C++, C++", "C++, Python", "Python, C++", "Python, Python"})
    void shouldWriteIntoTheMemoryOfTheOther(String serves, String asks) throws Exception {
        port++;
        String file = serves + "-" + asks;
        try (RunningCommand server = CProgramPairs.start(wire.a, true, file + "-server", line(serves))) {
            CProgramPairs.awaitListener(wire.a, server, port);
            try (RunningCommand client = CProgramPairs.start(wire.a, true, file + "-client", line(asks) + " greetings-from-" + asks)) {
                client.awaitSuccess(DEADLINE);
            }
            Ends.expect(server.awaitSuccess(DEADLINE), List.of("written here: greetings-from-" + asks + "\n"));
        }
    }

    private String line(String language) {
        Path program = language.equals("C++") ? cpp : KernelLab.module().resolve("lab/first-write.py");
        return program + " " + wire.a.ipv4 + " " + port;
    }
}
