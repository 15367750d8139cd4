// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.devices;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.tools.ToolRun;
import org.softrdma.tools.cli.Tool;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.VerbsException;

/**
 * Given the values of the kernel's devices, ours print what ibverbs-utils and infiniband-diags 44 printed of those, byte for byte. The
 * files were recorded on Debian 12, Linux 6.1.
 */
class DeviceToolsTest {
    private static final List<RdmaDevice> ALL = List.of(KernelDevice.RXE0, KernelDevice.SIW0, KernelDevice.RXE1);
    /** Those with management datagrams: the original ibstat sees no others. */
    private static final List<RdmaDevice> CHANNEL_ADAPTERS = List.of(KernelDevice.RXE0, KernelDevice.RXE1);

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", value = {
        "ibv_devinfo | -          | ibv_devinfo-44.txt",
        "ibv_devinfo | -v         | ibv_devinfo-v-44.txt",
        "ibv_devinfo | --verbose -i 1 | ibv_devinfo-v-44.txt",
        "ibstat      | -          | ibstat-44.txt",
        "ibstat      | -v         | ibstat-44.txt",
        "ibstat      | -s         | ibstat-s-44.txt",
        "ibstat      | --short    | ibstat-s-44.txt",
        "ibstat      | rxe0 1     | ibstat-rxe0-1-44.txt",
        "ibstatus    | -          | ibstatus-44.txt",
        "ibstatus    | rxe0:2     | ibstatus-rxe0-2-44.txt"})
    void shouldPrintWhatTheOriginalPrinted(String tool, String arguments, String recorded) throws IOException {
        assertEquals(new ToolRun(0, recorded(recorded), ""), run(tool, arguments, tool.equals("ibstat") ? CHANNEL_ADAPTERS : ALL));
    }

    @ParameterizedTest
    @CsvSource({"ibstat, ibstat-rxe1-down-44.txt", "ibstatus, ibstatus-rxe1-down-44.txt"})
    void shouldTellThatAnInterfaceIsDown(String tool, String recorded) throws IOException {
        assertEquals(recorded(recorded), run(tool, "rxe1", List.of(KernelDevice.RXE1_DOWN)).out());
    }

    @Test
    void shouldTakeADeviceNameAsTheGuidesWriteIt() {
        assertEquals(run("ibv_devinfo", "-d siw0", ALL), run("ibv_devinfo", "siw0", ALL));
        assertEquals(1, run("ibv_devinfo", "siw0", ALL).out().lines().filter(line -> line.startsWith("hca_id:")).count());
    }

    @Test
    void shouldList() {
        assertEquals("3 HCAs found:\n\trxe0\n\tsiw0\n\trxe1\n\n", run("ibv_devinfo", "-l", ALL).out());
        assertEquals("1 HCA found:\n\trxe0\n\n", run("ibv_devinfo", "--list", List.of(KernelDevice.RXE0)).out());
        assertEquals("0 HCAs found:\n\n", run("ibv_devinfo", "-vl", List.of()).out());
        assertEquals("rxe0\nrxe1\n", run("ibstat", "-l", CHANNEL_ADAPTERS).out());
        assertEquals("rxe0\n", run("ibstat", "-l rxe0", CHANNEL_ADAPTERS).out());
        assertEquals("0x505400fffe770002\n0xc8e11afffe039c24\n", run("ibstat", "-p", CHANNEL_ADAPTERS).out());
        assertEquals("0x505400fffe770002\n", run("ibstat", "-p rxe0 1", CHANNEL_ADAPTERS).out());
    }

    /** The option is ours: the original has none. */
    @Test
    void shouldTellProviderAndAttributesInJson() {
        ToolRun json = run("ibv_devinfo", "-v --json -d softrdma:rxe0", ALL);

        assertEquals(0, json.exitCode());
        for (String member : List.of("\"hca_id\": \"rxe0\"", "\"provider\": \"softrdma\"", "\"node_guid\": \"5054:00ff:fe77:0002\"",
                "\"active_mtu\": 4096", "\"max_qp_wr\": 1048576", "\"gids\": [ \"fe80::5054:ff:fe77:2, ")) {
            assertTrue(json.out().contains(member), () -> member + " in " + json.out());
        }
        assertEquals(1, json.out().lines().filter(line -> line.contains("hca_id")).count());
    }

    /** The layout of mlnx-tools: a link-local GID, then an IPv4 one with its address in dots. */
    @Test
    void shouldShowGids() {
        assertEquals("DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4  \t\tVER\tDEV\n"
            + "---\t----\t-----\t---\t\t\t\t\t------------  \t---\t---\n"
            + "rxe0\t1\t0\tfe80:0000:0000:0000:5054:00ff:fe77:0002\t\t\tv2\teth0\n"
            + "rxe0\t1\t1\t0000:0000:0000:0000:0000:ffff:0a4d:0002\t10.77.0.2  \tv2\teth0\n"
            + "rxe0\t1\t2\tfd77:0000:0000:0000:0000:0000:0000:0002\t\t\tv2\teth0\n"
            + "n_gids_found=3\n", run("show_gids", "rxe0", ALL).out());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "ibv_devinfo | -d nope   | 255 | IB device 'nope' wasn't found",
        "ibv_devinfo | nope      | 255 | IB device 'nope' wasn't found",
        "ibv_devinfo | -d rxe0 -i 2 | 4 | Invalid port requested for device",
        "ibstat      | nope      | 255 | ibpanic: [PID] main: 'nope' IB device can't be found: Success",
        "ibstat      | rxe0 2    | 255 | ibwarn: [PID] ca_stat: CA: 'rxe0' has no port number 2 - max (1)"
            + "/ibpanic: [PID] main: stat of IB device 'rxe0' failed: No such file or directory",
        "ibstat      | rxe0 x    | 255 | ibwarn: [PID] ca_stat: CA: 'rxe0' has no port number 0 - max (1)"
            + "/ibpanic: [PID] main: stat of IB device 'rxe0' failed: No such file or directory"})
    void shouldFailAsTheOriginal(String tool, String arguments, int exitCode, String message) {
        ToolRun run = run(tool, arguments, ALL);

        assertEquals(new ToolRun(exitCode, "", message.replace("/ibpanic", "\nibpanic")
            .replace("PID", Long.toString(ProcessHandle.current().pid())) + "\n"), run);
    }

    @Test
    void shouldSayThatThereAreNoDevices() {
        assertEquals(new ToolRun(255, "", "No IB devices found\n"), run("ibv_devinfo", null, List.of()));
        assertEquals(new ToolRun(0, "", ""), run("ibstat", null, List.of()));
        assertEquals(new ToolRun(255, "Fatal error:  device '*': sys files not found (/sys/class/infiniband/*/ports)\n", ""),
            run("ibstatus", null, List.of()));
        assertEquals(new ToolRun(255, "Fatal error:  device '-z': sys files not found (/sys/class/infiniband/-z/ports)\n", ""),
            run("ibstatus", "-z", ALL));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", value = {
        "--foo | 255 | ibv_devinfo: unrecognized option '--foo'",
        "-z    | 255 | ibv_devinfo: invalid option -- 'z'",
        "-h    | 255 | ibv_devinfo: invalid option -- 'h'",
        "-d    | 255 | ibv_devinfo: option requires an argument -- 'd'",
        "-i 0  | 1   | -",
        "-i -1 | 1   | -"})
    void shouldPrintTheUsageOfDevinfoOnStdout(String arguments, int exitCode, String message) throws IOException {
        assertEquals(new ToolRun(exitCode, recorded("ibv_devinfo-44.usage"), message == null ? "" : message + "\n"),
            run("ibv_devinfo", arguments, ALL));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-h", "--help"})
    void shouldPrintTheUsageOfStatOnStderr(String arguments) throws IOException {
        assertEquals(new ToolRun(2, "", recorded("ibstat-44.usage")), run("ibstat", arguments, ALL));
    }

    @Test
    void shouldRefuseOptionsStatDoesNotHave() throws IOException {
        assertEquals(new ToolRun(2, "", "ibstat: invalid option -- 'u'\n" + recorded("ibstat-44.usage")), run("ibstat", "-u", ALL));
    }

    @Test
    void shouldPrintTheUsageOfStatus() throws IOException {
        assertEquals(new ToolRun(255, recorded("ibstatus-44.usage"), ""), run("ibstatus", "-h", ALL));
    }

    /** A damaged configuration: the verb's own message, no stack trace. */
    @ParameterizedTest
    @ValueSource(strings = {"ibv_devinfo", "ibstat", "ibstatus", "show_gids"})
    void shouldSayWhyDevicesCannotBeListed(String name) {
        Tool tool = tool(name, () -> {
            throw new VerbsException(Errno.EINVAL, "read_links", "links:3: not understood");
        });

        ToolFailure failure = assertThrows(ToolFailure.class, () -> ToolRun.of(console -> tool.run(name, List.of(), console)));
        assertEquals("read_links: Invalid argument (EINVAL): links:3: not understood",
            failure.getMessage().lines().reduce((first, last) -> last).orElseThrow());
    }

    private static ToolRun run(String name, String arguments, List<RdmaDevice> devices) {
        List<String> words = arguments == null ? List.of() : List.of(arguments.split(" "));
        return ToolRun.of(console -> {
            try {
                return tool(name, () -> devices).run(name, words, console);
            } catch (ToolFailure failure) {
                if (failure.getMessage() != null) {
                    console.error(failure.getMessage());
                }
                return failure.exitCode();
            }
        });
    }

    private static Tool tool(String name, Supplier<List<RdmaDevice>> devices) {
        return switch (name) {
            case "ibv_devinfo" -> new IbvDevinfo(devices);
            case "ibstat" -> new IbStat(devices);
            case "ibstatus" -> new IbStatus(devices);
            default -> new ShowGids(devices);
        };
    }

    private static String recorded(String file) throws IOException {
        try (InputStream in = DeviceToolsTest.class.getResourceAsStream(file)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
