// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.host.config.LinkOption;
import org.softrdma.host.config.LinkStore;
import org.softrdma.host.config.NetDevice;
import org.softrdma.rxe.config.RxeLinkType;
import org.softrdma.tools.ToolRun;
import org.softrdma.tools.cli.ToolFailure;

/** Expected texts are iproute2 6.1's; its JSON layout is that of the {@code ip} command of the same version. */
class RdmaTest {
    private final NetDevice loopback = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow();
    private final String lo = loopback.name();
    @TempDir
    private Path directory;
    private LinkStore store;

    @BeforeEach
    void open() {
        store = LinkStore.at(directory);
    }

    // --- link ---

    @Test
    void shouldShowWhatTheGuideShows() {
        run("link add rxe0 type rxe netdev " + lo);

        assertEquals("link rxe0/1 state ACTIVE physical_state LINK_UP netdev " + lo + " \n", run("link show").out());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "link", "l", "lin", "link show", "link sh", "link s", "link list", "l s", "link show rxe0/1", "l sh rxe0", "-r link", "link -p",
        "-p link show"})
    void shouldTakeAbbreviations(String line) {
        run("link add rxe0 type rxe netdev " + lo);

        assertEquals("link rxe0/1 state ACTIVE physical_state LINK_UP netdev " + lo + " \n", run(line).out());
    }

    @Test
    void shouldShowDetails() {
        run("link add rxe0 type rxe netdev " + lo);

        assertEquals("link rxe0/1 state ACTIVE physical_state LINK_UP netdev " + lo + " netdev_index " + loopback.ifIndex() + " \n",
            run("-d link").out());
    }

    @Test
    void shouldShowJson() {
        run("link add rxe0 type rxe netdev " + lo);
        run("link add siw0 type siw netdev " + lo);

        String tail = ",\"port\":1,\"state\":\"ACTIVE\",\"physical_state\":\"LINK_UP\",\"netdev\":\"" + lo + "\",\"netdev_index\":"
            + loopback.ifIndex() + "}";
        assertEquals("[{\"ifindex\":0,\"ifname\":\"rxe0\"" + tail + ",{\"ifindex\":1,\"ifname\":\"siw0\"" + tail + "]\n",
            run("-j link").out());
        assertEquals("[{\"ifindex\":1,\"ifname\":\"siw0\"" + tail + "]\n", run("--json link show siw0/1").out());
    }

    @Test
    void shouldShowPrettyJson() {
        run("link add rxe0 type rxe netdev " + lo);

        assertEquals("""
            [ {
                    "ifindex": 0,
                    "ifname": "rxe0",
                    "port": 1,
                    "state": "ACTIVE",
                    "physical_state": "LINK_UP",
                    "netdev": "%s",
                    "netdev_index": %d
                } ]
            """.formatted(lo, loopback.ifIndex()), run("-jp link").out());
    }

    @Test
    void shouldShowEmptyLists() throws IOException {
        configureNothing();

        assertEquals("", run("link").out());
        assertEquals("[]\n", run("-j link").out());
        assertEquals("[ ]\n", run("-jp link").out());
    }

    @Test
    void shouldShowALinkWhoseInterfaceWentAwayAsDown() throws IOException {
        Files.writeString(store.file(), "link rxe0 type rxe netdev gone0\n");

        assertEquals("link rxe0/1 state DOWN physical_state DISABLED netdev gone0 \n", run("-d link").out());
    }

    @Test
    void shouldDelete() {
        run("link add a type rxe netdev " + lo);
        run("link add b type rxe netdev " + lo);

        assertEquals(new ToolRun(0, "", ""), run("link del a"));
        assertEquals(new ToolRun(0, "", ""), run("link delete b"));
        assertEquals("", run("link").out());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "link add                       | Please provide a link name to add.",
        "link add x type                | Please provide a link type name.",
        "link add x type rxe netdev     | Please provide a net device name.",
        "link add x type ipoib netdev LO    | error: Invalid argument",
        "link add x/1 type rxe netdev LO    | error: Invalid argument",
        "link add x type rxe netdev nodev0  | error: No such device",
        "link add here type rxe netdev LO   | error: File exists",
        "link del                       | Please provide device name.",
        "link del x                     | Wrong device name - x",
        "link del here now              | Unknown parameter now",
        "link show x                    | Wrong device name",
        "link show here/2               | Wrong device name",
        "link show here/-               | Wrong device name",
        "link show here/                | Wrong device name",
        "link set                       | Please provide device name.",
        "link set x fault none          | Wrong device name",
        "link set here/2 fault none     | Wrong device name",
        "link set here fault            | Please provide faults, or none.",
        "link set here mtu 1024         | Unknown parameter mtu",
        "link set here fault none now   | Unknown parameter now",
        "link set here fault drop=2     | error: Invalid argument",
        "link set here fault loss=1%    | error: Invalid argument",
        "link set here congestion       | Please provide congestion control, or none.",
        "link set here congestion red   | error: Invalid argument",
        "link set here wire             | Please provide udp, direct or shm.",
        "link set here wire tcp         | error: Invalid argument",
        "link set here recovery         | Please provide timeout or early.",
        "link set here recovery late    | error: Invalid argument",
        "link set here keepalive        | Please provide a time, or none.",
        "link set here keepalive 61s    | error: Invalid argument",
        "link set here keepalive 999us  | error: Invalid argument",
        "link set here keepalive 5      | error: Invalid argument",
        "link set here congestion none 1 | Unknown parameter 1",
        "link set here mpa              | Please provide MPA options, or default.",
        "link set here mpa crc=maybe    | error: Invalid argument",
        "dev show x                     | Wrong device name - x",
        "link set here memlock         | Please provide none or ulimit.",
        "link set here memlock 64      | error: Invalid argument",
        "dev set here name there        | error: Operation not supported",
        "statistic mode                 | error: Operation not supported",
        "stat show link here/2          | Wrong device name",
        "stat show link nope            | Wrong device name",
        "resource show qp link          | No filter data was supplied to filter option link",
        "resource show qp foo           | No filter data was supplied to filter option foo",
        "resource show qp link here foo 1 | Unsupported filter option: foo",
        "resource show qp link here/1 lqpn | There is filter option without data",
        "resource show qp link here/2   | Wrong device name",
        "resource show qp link nope     | Wrong device name",
        "resource show mr dev nope      | Wrong device name - nope",
        "system set netns exclusive     | error: Operation not supported",
        "-b file                        | error: Operation not supported"})
    void shouldFailInTheWordsOfTheOriginal(String line, String message) {
        run("link add here type rxe netdev " + lo);

        ToolFailure failure = assertThrows(ToolFailure.class, () -> run(line.replace("LO", lo)));

        assertEquals(message, failure.getMessage().lines().findFirst().orElseThrow());
        assertEquals(1, failure.exitCode());
        assertEquals(List.of("here"), store.links().stream().map(each -> each.name()).toList());
    }

    @ParameterizedTest
    @ValueSource(strings = {"system set netns", "system set netns foo"})
    void shouldSayWhichModesThereAre(String line) {
        assertEquals("valid options are: { shared | exclusive }", assertThrows(ToolFailure.class, () -> run(line)).getMessage());
    }

    // --- faults: not in the original ---

    @Test
    void shouldShowFaultsWhereverALinkIsShown() {
        run("link add rxe0 type rxe netdev " + lo);
        run("link add rxe1 type rxe netdev " + lo);

        assertEquals(new ToolRun(0, "", ""), run("link set rxe0 fault drop=1%,reorder=0.02:200us,seed=42"));

        String line = " state ACTIVE physical_state LINK_UP netdev " + lo + " ";
        String faults = "drop=0.01,reorder=0.02:200us,seed=42";
        assertEquals("link rxe0/1" + line + "fault " + faults + " \nlink rxe1/1" + line + "\n", run("link show").out());
        assertTrue(run("-d link").out().contains(" fault " + faults + " \n"));
        assertTrue(run("-j link").out().contains(",\"fault\":\"" + faults + "\"},{"), run("-j link").out());

        run("link se rxe0/1 f none");
        assertEquals("link rxe0/1" + line + "\nlink rxe1/1" + line + "\n", run("link show").out());
    }

    @Test
    void shouldSayWhatIsWrongWithFaults() {
        run("link add rxe0 type rxe netdev " + lo);
        run("link set rxe0 fault drop=0.5");

        String message = assertThrows(ToolFailure.class, () -> run("link set rxe0 fault delay=5")).getMessage();

        assertTrue(message.contains("delay=5: a time is 1ns to 60s: a number with ns, us, ms or s"), message);
        assertEquals("drop=0.5,seed=1", store.links().getFirst().get(RxeLinkType.FAULT).toString(), "what was set stays");
    }

    @Test
    void shouldShowCongestionControlWhereverALinkIsShown() {
        run("link add rxe0 type rxe netdev " + lo);

        assertEquals(new ToolRun(0, "", ""), run("link set rxe0 congestion dcqcn,cnp=100us"));

        String line = "link rxe0/1 state ACTIVE physical_state LINK_UP netdev " + lo + " ";
        assertEquals(line + "congestion dcqcn,cnp=100us \n", run("link show").out());
        assertTrue(run("-j link").out().contains(",\"congestion\":\"dcqcn,cnp=100us\"}"), run("-j link").out());
        run("link set rxe0 congestion none");
        assertEquals(line + "\n", run("link show").out());

        run("link add siw0 type siw netdev " + lo);
        String message = assertThrows(ToolFailure.class, () -> run("link set siw0 congestion dcqcn")).getMessage();
        assertTrue(message.startsWith("error: Operation not supported\nsiw0 is of type siw"), message);
    }

    @Test
    void shouldShowEarlyRecoveryWhereverALinkIsShown() {
        run("link add rxe0 type rxe netdev " + lo + " recovery early");
        String line = "link rxe0/1 state ACTIVE physical_state LINK_UP netdev " + lo + " ";
        assertEquals(line + "recovery early \n", run("link show").out());
        assertTrue(run("-j link").out().contains(",\"recovery\":\"early\"}"), run("-j link").out());

        assertEquals(new ToolRun(0, "", ""), run("link set rxe0 recovery timeout"));
        assertEquals(line + "\n", run("link show").out());
        assertEquals(new ToolRun(0, "", ""), run("link set rxe0 recovery early"));
        assertEquals(line + "recovery early \n", run("link show").out());
    }

    @Test
    void shouldShowKeepAliveWhereverALinkIsShown() {
        run("link add rxe0 type rxe netdev " + lo + " keepalive 2s");
        String line = "link rxe0/1 state ACTIVE physical_state LINK_UP netdev " + lo + " ";
        assertEquals(line + "keepalive 2s \n", run("link show").out());
        assertEquals(new ToolRun(0, "", ""), run("link set rxe0 keepalive 1500ms"));
        assertTrue(run("-j link").out().contains(",\"keepalive\":\"1500ms\"}"), run("-j link").out());
        assertEquals(new ToolRun(0, "", ""), run("link set rxe0 keepalive none"));
        assertEquals(line + "\n", run("link show").out());
    }

    @Test
    void shouldShowMpaOptionsWhereverALinkIsShown() {
        run("link add siw0 type siw netdev " + lo);

        assertEquals(new ToolRun(0, "", ""), run("link set siw0 mpa pause=0s,crc=off,ird=16,revision=2"));

        String line = "link siw0/1 state ACTIVE physical_state LINK_UP netdev " + lo + " ";
        assertEquals(line + "mpa crc=off,ird=16,pause=0s \n", run("link show").out());
        assertTrue(run("-j link").out().contains(",\"mpa\":\"crc=off,ird=16,pause=0s\"}"), run("-j link").out());
        run("link set siw0 mpa default");
        assertEquals(line + "\n", run("link show").out());

        run("link add rxe0 type rxe netdev " + lo);
        String message = assertThrows(ToolFailure.class, () -> run("link set rxe0 mpa crc=off")).getMessage();
        assertTrue(message.startsWith("error: Operation not supported\nrxe0 is of type rxe"), message);
    }

    @Test
    void shouldShowALimitOfMemoryWhereverALinkIsShown() {
        run("link add rxe0 type rxe netdev " + lo);

        assertEquals(new ToolRun(0, "", ""), run("link set rxe0 memlock ulimit"));

        String line = "link rxe0/1 state ACTIVE physical_state LINK_UP netdev " + lo + " ";
        assertEquals(line + "memlock ulimit \n", run("link show").out());
        assertTrue(store.links().getFirst().get(LinkOption.MEMLOCK));
        run("link set rxe0 memlock none");
        assertEquals(line + "\n", run("link show").out());
    }

    @Test
    void shouldRefuseFaultsOfDevicesThatHaveNone() {
        run("link add siw0 type siw netdev " + lo);

        String message = assertThrows(ToolFailure.class, () -> run("link set siw0 fault drop=1")).getMessage();

        assertTrue(message.startsWith("error: Operation not supported\nsiw0 is of type siw"), message);
    }

    /** The original complains in the same words, but exits with 0. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "foo                    | Unknown object 'foo'.",
        "link foo               | Unknown link command 'foo'.",
        "dev foo                | Unknown dev command 'foo'.",
        "link add x mtu 1024    | Unknown parameter 'mtu'.",
        "link show here/1 now   | Unknown parameter 'now'.",
        "dev show here now      | Unknown parameter 'now'.",
        "resource foo           | Unknown resource command 'foo'.",
        "res show foo           | Unknown parameter 'foo'.",
        "statistic foo          | Unknown statistic command 'foo'.",
        "statistic show foo     | Unknown parameter 'foo'.",
        "system show foo        | Unknown parameter 'foo'.",
        "system set foo         | Unknown parameter 'foo'."})
    void shouldFailAfterUnknownWords(String line, String message) {
        run("link add here type rxe netdev " + lo);

        assertEquals(new ToolRun(1, "", message + "\n"), run(line));
    }

    // --- dev ---

    @Test
    void shouldShowDevices() throws IOException {
        Files.writeString(store.file(), "link siw7 type siw netdev " + lo + "\nlink rxe7 type rxe netdev " + lo + "\n");

        assertEquals("""
            0: siw7: node_type rnic node_guid 0200:00ff:fe00:0000 sys_image_guid 0200:00ff:fe00:0000\s
            1: rxe7: node_type ca node_guid 0200:00ff:fe00:0000 sys_image_guid 0200:00ff:fe00:0000\s
            """, run("dev show").out());
        assertEquals(run("dev show").out(), run("d").out());
        assertEquals("[{\"ifindex\":0,\"ifname\":\"siw7\",\"node_type\":\"rnic\",\"node_guid\":\"0200:00ff:fe00:0000\","
            + "\"sys_image_guid\":\"0200:00ff:fe00:0000\"}]\n", run("-j dev show siw7").out());
    }

    @Test
    void shouldNameCapabilities() {
        assertEquals(List.of("RESIZE_MAX_WR", "MEM_WINDOW", "ON_DEMAND_PAGING"), DevCommand.capabilityNames(1 | 1 << 17 | 1 << 31));
        assertEquals(List.of("UNKNOWN"), DevCommand.capabilityNames(1 << 16));
    }

    // --- options and help ---

    /** Taken from the binary of iproute2 6.1. */
    private static final String USAGE = """
        Usage: rdma [ OPTIONS ] OBJECT { COMMAND | help }
               rdma [ -f[orce] ] -b[atch] filename
        where  OBJECT := { dev | link | resource | system | statistic | record | help }
               OPTIONS := { -V[ersion] | -d[etails] | -j[son] | -p[retty] -r[aw]}
        """;

    @ParameterizedTest
    @ValueSource(strings = {"-h", "--help", "help", "h", "-j help"})
    void shouldHelp(String line) {
        assertEquals(new ToolRun(0, USAGE, ""), run(line));
    }

    @Test
    void shouldHelpWithoutWords() {
        assertEquals(new ToolRun(0, USAGE, ""),
            ToolRun.of(console -> new Rdma(store, problems -> List.of()).run("rdma", List.of(), console)));
    }

    @Test
    void shouldRefuseUnknownOptions() {
        assertEquals(new ToolRun(1, USAGE, "Unknown option.\n"), run("-x link"));
        assertEquals("-b option requires an argument", assertThrows(ToolFailure.class, () -> run("-b")).getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"link help", "link add x", "link add x type rxe", "link set here"})
    void shouldHelpWithLinks(String line) {
        run("link add here type rxe netdev " + lo);

        assertEquals(new ToolRun(0, """
            Usage: rdma link show [DEV/PORT_INDEX]
            Usage: rdma link add NAME type TYPE [ netdev NETDEV ] [ fabric { NAME } ] [ node { NODE } ] [ port { N } ] \
            [ addr { ADDRESS/LENGTH,... } ] \
            [ recovery { timeout | early } ] \
            [ keepalive { none | TIME } ] [ segmentation { faithful | equal } ] [ strict { on | off } ] \
            [ record { EVENTS } ] [ link { raw | udp } ] [ roce { v1 | v2 | v1,v2 } ] [ wire { udp | direct | shm } ]
            Usage: rdma link delete NAME
            Usage: rdma link set DEV fabric { NAME }
            Usage: rdma link set DEV node { NODE }
            Usage: rdma link set DEV port { N }
            Usage: rdma link set DEV addr { ADDRESS/LENGTH,... }
            Usage: rdma link set DEV fault { none | KEY=VALUE[,KEY=VALUE]... }
                   drop, duplicate, corrupt, truncate, extend = RATE
                   reorder, partition, clog = RATE:TIME
                   delay = TIME or TIME-TIME
                   dir = tx (the default), rx or both; seed = NUMBER
                   RATE is 0..1 or 0%..100%, of packets; TIME up to 60s, in ns, us, ms or s
            Usage: rdma link set DEV congestion { none | dcqcn[,KEY=VALUE]... }
                   rate = RATE (line rate; the interface's), ai, hai = RATE (additive, hyper increase; 40mbit, 400mbit)
                   cnp = TIME (between notifications; 50us), alpha, timer = TIME (55us), bytes = NUMBER (10000000)
                   RATE is 1mbit to 1000gbit; TIME 1us to 1s, in us, ms or s
            Usage: rdma link set DEV recovery { timeout | early }
                   timeout: a request without an answer is sent retry_cnt + 1 times, one ACK timeout apart
                   early: also up to three times before each ACK timeout, when the peer is silent for longer than usual
            Usage: rdma link set DEV keepalive { none | TIME }
                   TIME is 1ms to 60s: an RC queue pair that was idle for so long probes its peer, which must permit remote writes
            Usage: rdma link set DEV segmentation { faithful | equal }
                   faithful: First, Middle and Last packets, as adapters send them
                   equal: short WRITEs and READs as packets of one length, which the host carries faster
            Usage: rdma link set DEV mpa { default | KEY=VALUE[,KEY=VALUE]... }
                   revision = 1 or 2, crc = off, on or required, markers = off or on
                   rtr = none, write or read (first message of a peer-to-peer connection)
                   ird, ord = 0 to 128 (READs held for the peer, READs outstanding)
                   pause = TIME (before the first message, 0s to 1s)
                   timeout = TIME (for TCP's answer and for the peer's start-up frame, 1ms to 60s)
                   halfopen = 1 to 1024 (connections of one address that await their request)
            Usage: rdma link set DEV memlock { none | ulimit }
            Usage: rdma link set DEV strict { on | off }
            Usage: rdma link set DEV record { EVENTS }
            Usage: rdma link set DEV link { raw | udp }
                   raw: Ethernet frames, with CAP_NET_RAW, RoCE v1 and v2; udp: sockets, RoCE v2 only
            Usage: rdma link set DEV roce { v1 | v2 | v1,v2 }
            Usage: rdma link set DEV wire { udp | direct | shm }
                   udp: packets between queue pairs of one device take the interface too
                   direct: they stay in memory, faster, and unseen by captures on the interface; the default of softrdma run
                   shm: as direct; and packets between devices with this option, of one user's processes on one host, use shared memory
            """, ""), run(line));
    }

    @Test
    void shouldTellItsVersion() {
        assertTrue(run("-V").out().startsWith("rdma utility, softrdma-"));
    }

    private ToolRun run(String line) {
        return ToolRun.of(console -> new Rdma(store, problems -> List.of()).run("rdma", List.of(line.split(" ")), console));
    }

    private void configureNothing() throws IOException {
        Files.writeString(store.file(), "");
    }
}
