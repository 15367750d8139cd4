// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Errors of the provider on the system's libibverbs that our own devices can cause. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LibibverbsErrorsTest {
    @RegisterExtension
    static final NamespaceExtension NAMESPACES = new NamespaceExtension("ip", "setpriv", "unshare", "ibv_devinfo");

    private static final Duration DEADLINE = Duration.ofMinutes(2);
    private static final int MTU = 1500;
    private static final String LIBIBVERBS = "libibverbs.so.1";
    private static final String LIBRDMACM = "librdmacm.so.1";
    /** Where Debian has the libraries. */
    private static final Path LIBRARIES =
        Path.of("/usr/lib/" + System.getProperty("os.arch").replace("amd64", "x86_64") + "-linux-gnu");
    /** Shows a directory without one of its files to a command. Arguments: the directory, the file, an empty directory, the command. */
    private static final String WITHOUT = """
        directory=$1 file=$2 work=$3
        shift 3
        mkdir "$work/all" "$work/rest"
        mount --bind "$directory" "$work/all"
        ln -s "$work"/all/* "$work/rest"
        rm "$work/rest/$file"
        mount --bind "$work/rest" "$directory"
        exec "$@"
        """;

    private VethPair wire;

    @BeforeAll
    void addDevice() throws IOException {
        wire = new VethPair("libibverbs-errors", MTU);
        wire.a.ip("link add c1 type veth peer name c2");
        wire.a.ip("addr add 10.99.1.1/24 dev c1");
        wire.a.ip("link set c1 up");
        wire.addDevices(wire.a, List.of(wire.a.netdev(), "c1"));
        wire.addDevices(wire.b, List.of());
    }

    @AfterAll
    void disconnect() {
        wire.stopDaemons();
        wire.close();
    }

    /** There are no devices, and the log says it once for each library. */
    @Test
    void shouldHaveNoDevicesWithoutTheLibrary() throws IOException {
        String reason = LIBIBVERBS + " cannot be loaded: install rdma-core's libraries (Cannot open library: " + LIBIBVERBS + ")";
        String open = "open: open_device: No such device (ENODEV): no device named libibverbs:rxe0; there are: []; " + reason;
        try (RunningCommand run = wire.b.startAny("without-libibverbs", without(LIBIBVERBS))) {
            assertEquals(List.of(
                // No adapter in sysfs: the list does not need the library.
                "devices: 0",
                "log FINE: " + reason,
                open,
                // librdmacm needs libibverbs.
                "log FINE: " + LIBRDMACM + " cannot be loaded: install rdma-core's libraries (Cannot open library: " + LIBRDMACM + ")",
                "manager: org.softrdma.cm",
                "devices: 0",
                open,
                "manager: org.softrdma.cm",
                "end"), run.awaitSuccess(DEADLINE).lines().toList());
        }
    }

    /** The devices are there; connections by address are those of our own devices. */
    @Test
    void shouldHaveNoConnectionManagerWithoutItsLibrary() throws IOException {
        try (RunningCommand run = wire.a.start("without-librdmacm", underRun(List.of(without(LIBRDMACM))))) {
            assertEquals(List.of(
                "devices: 2",
                "open: ok",
                "log FINE: " + LIBRDMACM + " cannot be loaded: install rdma-core's libraries (Cannot open library: " + LIBRDMACM + ")",
                "manager: org.softrdma.cm",
                "devices: 2",
                "open: ok",
                "manager: org.softrdma.cm",
                "end"), run.awaitSuccess(DEADLINE).lines().toList());
        }
    }

    /** Command line of the program without a library. */
    private String[] without(String library) throws IOException {
        Path work = Files.createDirectories(wire.directory().resolve("without-" + library));
        return Stream.concat(Stream.of("unshare", "-m", "sh", "-ec", WITHOUT, "sh", LIBRARIES.toString(), library, work.toString()),
            program("no-library", "rxe0").stream()).toArray(String[]::new);
    }

    /** Each function that is missing names itself when it is called; where there is another way, it is taken. */
    @Test
    void shouldNameTheFunctionThatAnOlderLibraryLacks() throws IOException {
        Path older = Files.createDirectories(wire.directory().resolve("older"));
        rename(LIBRARIES.resolve(LIBIBVERBS), older.resolve(LIBIBVERBS),
            List.of("_ibv_query_gid_table", "_ibv_query_gid_ex", "ibv_get_device_index"));
        try (RunningCommand run = onTheLibrary(Map.of("LD_LIBRARY_PATH", older.toString()), "older", "older-library", "rxe0")) {
            assertEquals(List.of(
                "index: -1",
                "GID table: _ibv_query_gid_table: Operation not supported (EOPNOTSUPP): the installed library does not have it",
                "GID entry: _ibv_query_gid_ex: Operation not supported (EOPNOTSUPP): the installed library does not have it",
                "GID: ok",
                "region: ok",
                "region with optional rights: ok",
                "queue pair: ok",
                "end"), run.awaitSuccess(DEADLINE).lines().toList());
        }
    }

    /** Copies a library with other names in its string table, so that lookups of the old ones fail as in a release without them. */
    private static void rename(Path library, Path copy, List<String> functions) throws IOException {
        // A character for each byte, both ways.
        String text = Files.readString(library, StandardCharsets.ISO_8859_1);
        for (String function : functions) {
            String entry = "\0" + function + "\0";
            assertTrue(text.contains(entry), function);
            text = text.replace(entry, entry.replace("ibv_", "old_"));
        }
        Files.writeString(copy, text, StandardCharsets.ISO_8859_1);
    }

    @Test
    void shouldRefuseTheKeyOfMemoryWhoseArenaIsClosed() {
        try (RunningCommand run = onTheLibrary(Map.of(), "closed-arena", "closed-arena", "rxe0")) {
            String refused = ": mr: Invalid argument (EINVAL): the memory's arena was closed while the memory was registered";
            assertEquals(List.of("receive before: ok", "send" + refused, "receive" + refused, "wr_id 1 WR_FLUSH_ERR", "close: ok",
                "completions: 0", "end"), run.awaitSuccess(DEADLINE).lines().toList());
        }
    }

    /** Calls have EIO, as for a device of the kernel that can be removed while it is open, and everything can be closed. */
    @Test
    void shouldEndWaitsAndCloseWhenTheDeviceIsDeleted() throws IOException {
        Path removed = wire.directory().resolve("removed");
        try (RunningCommand run = onTheLibrary(Map.of(), "gone", "gone", "rxe1", removed.toString())) {
            run.awaitOutput("ready", DEADLINE);
            wire.a.tool("rdma", "link", "delete", "rxe1");
            run.awaitOutput("asynchronous event: ok", DEADLINE);
            run.awaitOutput("completion event: ", DEADLINE);
            Files.createFile(removed);
            String why = "; the device may have been removed";
            List<String> lines = run.awaitSuccess(DEADLINE).lines()
                .map(each -> each.replaceAll("descriptor [0-9]+", "the channel")).toList();
            // In the order of the two threads.
            assertEquals(Set.of(
                "ready",
                "event: DEVICE_FATAL",
                "asynchronous event: ok",
                "completion event: get_cq_event: Input/output error (EIO): the channel" + why), Set.copyOf(lines.subList(0, 4)));
            assertEquals(List.of(
                "open: open_device: No such device (ENODEV): no device named libibverbs:rxe1; there are: [rxe0, softrdma:rxe0]",
                "query: query_device: Input/output error (EIO): rxe1" + why,
                "region: reg_mr: Input/output error (EIO): 4096 bytes, access LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC" + why,
                "queue: create_cq: Input/output error (EIO): cqe 4, comp_vector 0" + why,
                "poll: ok",
                "waiting: false",
                "waiting: false",
                "destroy: ok",
                "end"), lines.subList(4, lines.size()));
        }
    }

    /** A program on the library, on the device that our daemon has for C programs. */
    private RunningCommand onTheLibrary(Map<String, String> environment, String file, String... arguments) {
        return wire.a.start(environment, file, underRun(program(arguments)));
    }

    private static String[] underRun(List<String> command) {
        return Stream.concat(Stream.of("run", "--"), command.stream()).toArray(String[]::new);
    }

    private static List<String> program(String... arguments) {
        return Stream.concat(LibibverbsTest.javaOnTheLibrary(LibibverbsErrors.class).stream(), Stream.of(arguments)).toList();
    }
}
