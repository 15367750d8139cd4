// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The programs of {@code examples/}, run as processes. Subclasses build them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ExamplePrograms {
    private static final Duration DEADLINE = Duration.ofSeconds(60);

    /** Returns the directory for state and output. */
    abstract Path directory();

    /** Returns the arguments of {@code java} that start a project's program, relative to {@link #directory}. */
    abstract List<String> program(String project, String main);

    @Test
    void shouldConnectByHand() throws IOException {
        try (RunningCommand server = byHand("server", "server")) {
            server.awaitOutput("server: waiting", DEADLINE);
            try (RunningCommand client = byHand("client", "client", "localhost", "Hello, Bob")) {
                assertTrue(client.awaitSuccess(DEADLINE).contains("client: wr_id 1 SUCCESS RDMA_WRITE"), client.output());
            }
            // Ten characters and the zero.
            assertTrue(server.awaitSuccess(DEADLINE).contains("server: 11 bytes written into my memory: Hello, Bob"), server.output());
        }
    }

    private RunningCommand byHand(String name, String... arguments) throws IOException {
        return run("rc-by-hand", "example.RcByHand", name, Map.of(), arguments);
    }

    @Test
    void shouldConnectByAddressOverBothTransports() throws IOException {
        for (String devices : List.of("roce", "iwarp")) {
            try (RunningCommand server = greeting(devices, "server", "server")) {
                server.awaitOutput("server: listening", DEADLINE);
                try (RunningCommand client = greeting(devices, "client", "client", "127.0.0.1", "Alice")) {
                    assertTrue(client.awaitSuccess(DEADLINE).contains("client: Hello, Alice!\n"), client.output());
                }
                assertTrue(server.awaitSuccess(DEADLINE).contains("6 bytes from /127."), server.output());
            }
        }
    }

    private RunningCommand greeting(String devices, String name, String... arguments) throws IOException {
        return run("connect-by-address", "example.Greeting", devices + "-" + name, Map.of("SOFTRDMA_CM_DEVICES", devices), arguments);
    }

    @Test
    void shouldSleepUntilMessagesArrive() throws IOException {
        try (RunningCommand program = run("completion-events", "example.CompletionEvents", "program", Map.of())) {
            assertTrue(program.awaitSuccess(DEADLINE).contains("100 messages, their sum is 4950;"), program.output());
        }
    }

    @Test
    void shouldShowTheHeaderInFrontOfDatagrams() throws IOException {
        try (RunningCommand program = run("multicast", "example.Multicast", "program", Map.of(), "239.1.2.3")) {
            String output = program.awaitSuccess(DEADLINE);
            assertEquals(2, count(output, ": 17 bytes from queue pair .*: Hello, everybody!\n"), output);
            assertEquals(2, count(output, "to 239\\.1\\.2\\.3\n"), output);
            // A header without options, of a packet of 72 bytes: itself 20, UDP 8, BTH 12, DETH 8, data 17 and 3 of padding, ICRC 4.
            assertEquals(2, count(output, "IP header  45000048"), output);
        }
    }

    private static int count(String text, String pattern) {
        return text.split(pattern, -1).length - 1;
    }

    /** On the module path, with the API as the only module that the application requires. */
    @Test
    void shouldStoreKeysAndValuesOnAnIdleServer() throws IOException {
        try (RunningCommand server = store("server", "server")) {
            server.awaitOutput("server: listening", DEADLINE);
            for (String value : List.of("red", "blue")) {
                try (RunningCommand put = store("put-" + value, "127.0.0.1", "put", "colour", value)) {
                    put.awaitSuccess(DEADLINE);
                }
                try (RunningCommand get = store("get-" + value, "127.0.0.1", "get", "colour")) {
                    assertEquals(value + "\n", get.awaitSuccess(DEADLINE));
                }
            }
        }
    }

    private RunningCommand store(String name, String... arguments) throws IOException {
        return run("key-value-store", "example.KeyValueStore", name, Map.of(), arguments);
    }

    private RunningCommand run(String project, String main, String name, Map<String, String> environment, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        command.addAll(program(project, main));
        command.addAll(List.of(arguments));
        Map<String, String> all = new HashMap<>(environment);
        all.put(HostTool.STATE_DIRECTORY, Files.createDirectories(directory().resolve("state")).toString());
        return HostTool.startHere(directory(), directory().resolve(project + "-" + name + ".out"), all, command);
    }
}
