// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.config;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.VerbsException;

class LinkStoreTest {
    private final String loopback = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow().name();
    @TempDir
    private Path directory;
    private LinkStore store;

    @BeforeEach
    void open() {
        store = LinkStore.at(directory.resolve("made/on/demand"));
    }

    @Test
    void shouldOfferOneDeviceOfEachTypePerInterfaceUntilSomethingIsConfigured() {
        List<String> up = NetDevice.list().stream().filter(NetDevice::up).map(NetDevice::name).toList();

        List<ConfiguredLink> links = store.effectiveLinks();

        List<ConfiguredLink> expected = new ArrayList<>();
        IntStream.range(0, up.size()).forEach(i -> expected.add(new ConfiguredLink("rxe" + i, "rxe", up.get(i), Map.of())));
        IntStream.range(0, up.size()).forEach(i -> expected.add(new ConfiguredLink("siw" + i, "siw", up.get(i), Map.of())));
        assertEquals(expected, links);
        assertEquals(List.of(), store.links());
        assertFalse(store.isConfigured());
        assertFalse(Files.exists(store.file().getParent()), "looking must not create anything");
    }

    @Test
    void shouldLetTheFileRuleAloneOnceALinkWasAdded() {
        store.add("my0", "rxe", loopback);
        store.add("siw0", "siw", loopback);

        List<ConfiguredLink> expected = List.of(
            new ConfiguredLink("my0", "rxe", loopback, Map.of()), new ConfiguredLink("siw0", "siw", loopback, Map.of()));
        assertEquals(expected, store.effectiveLinks());
        assertEquals(expected, LinkStore.at(directory.resolve("made/on/demand")).links());
    }

    @Test
    void shouldKeepTheOtherDefaultsWhenOneIsRemoved() {
        List<ConfiguredLink> defaults = new ArrayList<>(store.effectiveLinks());

        store.remove("rxe0");

        defaults.removeFirst();
        assertEquals(defaults, store.effectiveLinks());
        assertTrue(store.isConfigured());
    }

    @Test
    void shouldHaveNoDevicesWhenTheLastLinkIsRemoved() {
        store.add("a", "rxe", loopback);
        store.remove("a");

        assertEquals(List.of(), store.effectiveLinks());
    }

    @Test
    void shouldRefuseANameTwice() {
        store.add("a", "rxe", loopback);

        assertErrno(Errno.EEXIST, () -> store.add("a", "siw", loopback), "'a'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a/1", "a%d", ".", "..", "-x", "#", "a\n", "ä"})
    void shouldRefuseUnusableNames(String name) {
        assertErrno(Errno.EINVAL, () -> store.add(name, "rxe", loopback), "name");
        assertFalse(store.isConfigured());
    }

    @Test
    void shouldBoundTheLengthOfNames() {
        store.add("a".repeat(63), "rxe", loopback);

        assertErrno(Errno.EINVAL, () -> store.add("a".repeat(64), "rxe", loopback), "63");
    }

    @Test
    void shouldRefuseUnknownTypesAndInterfaces() {
        assertErrno(Errno.EINVAL, () -> store.add("a", "ipoib", loopback), "'ipoib'");
        assertErrno(Errno.ENODEV, () -> store.add("a", "rxe", "no-such-netdev0"), "no-such-netdev0");
    }

    @Test
    void shouldRefuseToRemoveWhatIsNotThere() {
        assertErrno(Errno.ENODEV, () -> store.remove("rxe77"), "rxe77");
        assertFalse(store.isConfigured(), "a refused change must not configure anything");
        store.add("a", "rxe", loopback);
        assertErrno(Errno.ENODEV, () -> store.remove("b"), "there are: a");
    }

    @Test
    void shouldKeepOptionsAndComments() throws IOException {
        write("# mine\n\nlink a type rxe netdev gone0 mtu 1024 colour red\n");

        assertEquals(List.of(new ConfiguredLink("a", "rxe", "gone0", Map.of("mtu", "1024", "colour", "red"))), store.links());
        store.add("b", "rxe", loopback);
        assertEquals("# mine\n\nlink a type rxe netdev gone0 mtu 1024 colour red\nlink b type rxe netdev " + loopback + "\n",
            Files.readString(store.file()));
        store.remove("a");
        assertEquals("# mine\n\nlink b type rxe netdev " + loopback + "\n", Files.readString(store.file()));
    }

    @Test
    void shouldKeepCongestionControlBesideFaults() throws IOException {
        write("link a type rxe netdev gone0\n");

        store.setFaults("a", LinkFaults.parse("drop=1%"));
        store.setCongestion("a", CongestionControl.parse("dcqcn,rate=25gbit"));
        assertEquals("link a type rxe netdev gone0 fault drop=0.01,seed=1 congestion dcqcn,rate=25gbit\n", Files.readString(store.file()));
        assertEquals(25_000_000_000L, store.links().getFirst().congestion().lineRate());
        store.setFaults("a", LinkFaults.NONE);
        assertEquals("link a type rxe netdev gone0 congestion dcqcn,rate=25gbit\n", Files.readString(store.file()));
        store.setCongestion("a", CongestionControl.NONE);
        assertEquals("link a type rxe netdev gone0\n", Files.readString(store.file()));
        assertEquals(CongestionControl.NONE, store.links().getFirst().congestion());

        write("link a type rxe netdev gone0 congestion red\n");
        assertErrno(Errno.EINVAL, () -> store.links(), "'red'");
    }

    @Test
    void shouldKeepFaultsWithTheLink() throws IOException {
        write("# mine\nlink a type rxe netdev gone0 mtu 1024\nlink b type rxe netdev gone0\n");

        store.setFaults("a", LinkFaults.parse("drop=1%,dir=rx"));
        assertEquals("# mine\nlink a type rxe netdev gone0 mtu 1024 fault drop=0.01,dir=rx,seed=1\nlink b type rxe netdev gone0\n",
            Files.readString(store.file()));
        assertEquals(LinkFaults.parse("drop=1%,dir=rx"), store.links().get(0).faults());
        assertEquals(LinkFaults.NONE, store.links().get(1).faults());

        store.setFaults("a", LinkFaults.parse("delay=5us"));
        assertEquals(LinkFaults.parse("delay=5us"), store.links().get(0).faults());
        store.setFaults("a", LinkFaults.NONE);
        assertEquals("# mine\nlink a type rxe netdev gone0 mtu 1024\nlink b type rxe netdev gone0\n", Files.readString(store.file()));
    }

    @Test
    void shouldConfigureTheDefaultsWhenOneGetsFaults() {
        List<String> names = store.effectiveLinks().stream().map(ConfiguredLink::name).toList();

        store.setFaults("rxe0", LinkFaults.parse("drop=1"));

        assertEquals(names, store.links().stream().map(ConfiguredLink::name).toList());
        assertEquals("drop=1,seed=1", store.links().getFirst().faults().toString());
    }

    @Test
    void shouldRefuseFaultsForALinkThatIsNotThere() {
        assertErrno(Errno.ENODEV, () -> store.setFaults("rxe77", LinkFaults.NONE), "rxe77");
        assertFalse(store.isConfigured());
    }

    @Test
    void shouldTellChangesOfTheFile() {
        LinkStore.Version absent = store.version();
        assertEquals(absent, store.version());
        store.add("a", "rxe", loopback);
        LinkStore.Version first = store.version();
        assertNotEquals(absent, first);
        assertEquals(first, store.version());
        store.setFaults("a", LinkFaults.parse("drop=1"));
        assertNotEquals(first, store.version());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "link a type rxe netdev lo fault drop=7",
        "lnk a type rxe netdev lo", "link a type rxe netdev", "link a type ib netdev lo", "link a netdev lo type rxe",
        "link a/b type rxe netdev lo", "link a type rxe netdev lo mtu", "\u0000\u0001", "link first type rxe netdev lo"})
    void shouldReportGarbledLinesByFileAndLine(String garbled) throws IOException {
        String text = "# header\nlink first type rxe netdev lo\n" + garbled + "\n";
        write(text);

        String place = store.file() + ":3: ";
        assertErrno(Errno.EINVAL, store::links, place);
        assertErrno(Errno.EINVAL, store::effectiveLinks, place);
        assertErrno(Errno.EINVAL, () -> store.add("b", "rxe", loopback), place);
        assertErrno(Errno.EINVAL, () -> store.remove("first"), place);
        assertEquals(text, Files.readString(store.file()), "a file that is not understood must not be touched");
    }

    @Test
    void shouldKeepCommentsOfAnyEncoding() throws IOException {
        byte[] latin1 = "# Gr\u00fc\u00dfe\n".getBytes(StandardCharsets.ISO_8859_1);
        Files.createDirectories(store.file().getParent());
        Files.write(store.file(), latin1);

        store.add("a", "rxe", loopback);

        assertArrayEquals(latin1, Arrays.copyOf(Files.readAllBytes(store.file()), latin1.length));
    }

    @Test
    void shouldSayWhatStandsInTheWay() throws IOException {
        Files.writeString(directory.resolve("file"), "");

        assertErrno(Errno.EIO, () -> LinkStore.at(directory.resolve("file")).add("a", "rxe", loopback), "SOFTRDMA_STATE_DIR");
    }

    @Test
    void shouldLoseNoneOfManyConcurrentAdds() throws Exception {
        int writers = 16;
        try (ExecutorService threads = Executors.newFixedThreadPool(writers)) {
            List<Callable<Void>> adds = IntStream.range(0, writers).<Callable<Void>>mapToObj(i -> () -> {
                LinkStore.at(store.file().getParent()).add("link" + i, "rxe", loopback);
                return null;
            }).toList();
            for (Future<Void> each : threads.invokeAll(adds)) {
                each.get();
            }
        }

        assertEquals(writers, store.links().size());
    }

    private void write(String text) throws IOException {
        Files.createDirectories(store.file().getParent());
        Files.writeString(store.file(), text);
    }

    private static void assertErrno(Errno errno, Executable call, String inMessage) {
        VerbsException refused = assertThrows(VerbsException.class, call);
        assertEquals(errno, refused.errno());
        assertTrue(refused.getMessage().contains(inMessage), refused.getMessage());
    }

    @Test
    void shouldKeepWhatCarriesPacketsAndWhichVersions() {
        store.add("rxe0", "rxe", loopback);
        assertEquals(RoceWire.UDP, link().wire());
        assertEquals(GidType.ROCE_V2, link().roceMode());

        store.setCarrier("rxe0", "raw");
        assertEquals(RoceWire.RAW, link().wire());
        store.setRoceMode("rxe0", GidType.ROCE_V1);
        assertEquals(GidType.ROCE_V1, link().roceMode());
        store.setVersions("rxe0", "v2");
        assertEquals(List.of(GidType.ROCE_V2), link().wire().types());
        assertEquals(GidType.ROCE_V2, link().roceMode(), "the mode that was chosen is not there any more");
    }

    @Test
    void shouldRefuseVersionOneWithoutRawFrames() {
        store.add("rxe0", "rxe", loopback);
        assertErrno(Errno.EINVAL, () -> store.setVersions("rxe0", "v1"), "needs raw frames");
        assertErrno(Errno.EINVAL, () -> store.setRoceMode("rxe0", GidType.ROCE_V1), "does not speak IB/RoCE v1");
        assertErrno(Errno.EINVAL, () -> store.setCarrier("rxe0", "smoke"), "raw or udp");
        store.setCarrier("rxe0", "raw");
        store.setVersions("rxe0", "v1");
        assertErrno(Errno.EINVAL, () -> store.setCarrier("rxe0", "udp"), "needs raw frames");
        assertErrno(Errno.EINVAL, () -> store.setVersions("rxe0", "v3"), "v1, v2 or v1,v2");
        assertEquals(List.of(GidType.ROCE_V1), link().wire().types());
    }

    private ConfiguredLink link() {
        return store.links().getFirst();
    }
}
