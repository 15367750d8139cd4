// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.config;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
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
        IntStream.range(0, up.size()).forEach(i -> expected.add(new ConfiguredLink("alpha" + i, "alpha", up.get(i), Map.of())));
        IntStream.range(0, up.size()).forEach(i -> expected.add(new ConfiguredLink("beta" + i, "beta", up.get(i), Map.of())));
        assertEquals(expected, links);
        assertEquals(List.of(), store.links());
        assertFalse(store.isConfigured());
        assertFalse(Files.exists(store.file().getParent()), "looking must not create anything");
    }

    @Test
    void shouldLetTheFileRuleAloneOnceALinkWasAdded() {
        store.add("my0", "alpha", loopback);
        store.add("beta0", "beta", loopback);

        List<ConfiguredLink> expected = List.of(
            new ConfiguredLink("my0", "alpha", loopback, Map.of()), new ConfiguredLink("beta0", "beta", loopback, Map.of()));
        assertEquals(expected, store.effectiveLinks());
        assertEquals(expected, LinkStore.at(directory.resolve("made/on/demand")).links());
    }

    @Test
    void shouldKeepTheOtherDefaultsWhenOneIsRemoved() {
        List<ConfiguredLink> defaults = new ArrayList<>(store.effectiveLinks());

        store.remove("alpha0");

        defaults.removeFirst();
        assertEquals(defaults, store.effectiveLinks());
        assertTrue(store.isConfigured());
    }

    @Test
    void shouldHaveNoDevicesWhenTheLastLinkIsRemoved() {
        store.add("a", "alpha", loopback);
        store.remove("a");

        assertEquals(List.of(), store.effectiveLinks());
    }

    @Test
    void shouldRefuseANameTwice() {
        store.add("a", "alpha", loopback);

        assertErrno(Errno.EEXIST, () -> store.add("a", "beta", loopback), "'a'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a/1", "a%d", ".", "..", "-x", "#", "a\n", "ä"})
    void shouldRefuseUnusableNames(String name) {
        assertErrno(Errno.EINVAL, () -> store.add(name, "alpha", loopback), "name");
        assertFalse(store.isConfigured());
    }

    @Test
    void shouldBoundTheLengthOfNames() {
        store.add("a".repeat(63), "alpha", loopback);

        assertErrno(Errno.EINVAL, () -> store.add("a".repeat(64), "alpha", loopback), "63");
    }

    @Test
    void shouldRefuseUnknownTypesAndInterfaces() {
        assertErrno(Errno.EINVAL, () -> store.add("a", "ipoib", loopback), "'ipoib'");
        assertErrno(Errno.ENODEV, () -> store.add("a", "alpha", "no-such-netdev0"), "no-such-netdev0");
    }

    @Test
    void shouldRefuseToRemoveWhatIsNotThere() {
        assertErrno(Errno.ENODEV, () -> store.remove("alpha77"), "alpha77");
        assertFalse(store.isConfigured(), "a refused change must not configure anything");
        store.add("a", "alpha", loopback);
        assertErrno(Errno.ENODEV, () -> store.remove("b"), "there are: a");
    }

    @Test
    void shouldKeepOptionsAndComments() throws IOException {
        write("# mine\n\nlink a type alpha netdev gone0 loss 5 colour red\n");

        assertEquals(List.of(new ConfiguredLink("a", "alpha", "gone0", Map.of("loss", "5", "colour", "red"))), store.links());
        store.add("b", "alpha", loopback);
        assertEquals("# mine\n\nlink a type alpha netdev gone0 loss 5 colour red\nlink b type alpha netdev " + loopback + "\n",
            Files.readString(store.file()));
        store.remove("a");
        assertEquals("# mine\n\nlink b type alpha netdev " + loopback + "\n", Files.readString(store.file()));
    }

    @Test
    void shouldKeepOptionsWithTheLink() throws IOException {
        write("# mine\nlink a type alpha netdev gone0 colour blue\nlink b type alpha netdev gone0\n");

        store.set("a", AlphaLinkType.LOSS, 1);
        assertEquals("# mine\nlink a type alpha netdev gone0 colour blue loss 1\nlink b type alpha netdev gone0\n",
            Files.readString(store.file()));
        assertEquals(1, store.links().get(0).get(AlphaLinkType.LOSS));
        assertEquals(0, store.links().get(1).get(AlphaLinkType.LOSS));

        store.set("a", AlphaLinkType.LOSS, 2);
        assertEquals(2, store.links().get(0).get(AlphaLinkType.LOSS));
        store.set("a", AlphaLinkType.LOSS, 0);
        assertEquals("# mine\nlink a type alpha netdev gone0 colour blue\nlink b type alpha netdev gone0\n",
            Files.readString(store.file()));
    }

    @Test
    void shouldConfigureTheDefaultsWhenOneGetsAnOption() {
        List<String> names = store.effectiveLinks().stream().map(ConfiguredLink::name).toList();

        store.set("alpha0", AlphaLinkType.LOSS, 100);

        assertEquals(names, store.links().stream().map(ConfiguredLink::name).toList());
        assertEquals(100, store.links().getFirst().get(AlphaLinkType.LOSS));
    }

    @Test
    void shouldRefuseOptionsThatTheTypeDoesNotHave() {
        store.add("b", "beta", loopback);

        assertErrno(Errno.EOPNOTSUPP, () -> store.set("b", AlphaLinkType.LOSS, 1), "start, memlock");
        assertErrno(Errno.EINVAL, () -> store.add(new ConfiguredLink("c", "beta", loopback, Map.of("loss", "1"))), "'loss'");
        assertEquals(List.of(new ConfiguredLink("b", "beta", loopback, Map.of())), store.links());
    }

    @Test
    void shouldRefuseOptionsThatDoNotGoTogether() {
        store.add(new ConfiguredLink("a", "alpha", loopback, Map.of("colour", "red")));

        assertErrno(Errno.EINVAL, () -> store.set("a", AlphaLinkType.LOSS, 51), "too lossy");
        store.set("a", AlphaLinkType.LOSS, 50);
        assertEquals(50, store.find("a").get(AlphaLinkType.LOSS));
    }

    /** An application with one provider works on the file of a user who has links of other types, too. */
    @Test
    void shouldFindLinksBesideThoseOfMissingProviders() throws IOException {
        write("link g type gamma netdev lo rays 3\nlink a type alpha netdev lo loss 5\n");

        assertEquals(5, store.find("a").get(AlphaLinkType.LOSS));
        assertNull(store.find("b"));
        assertEquals(List.of("g", "a"), store.linksOfAnyType().stream().map(ConfiguredLink::name).toList());
        assertErrno(Errno.EINVAL, store::links, store.file() + ":1: there is no link type 'gamma'");
    }

    @Test
    void shouldDescribeTheTypesInTheHeader() throws IOException {
        store.add("a", "alpha", loopback);

        String text = Files.readString(store.file());
        assertTrue(text.contains("\n#   alpha (Alpha): loss, memlock, colour, owner\n#   beta (Beta): start, memlock\n"), text);
        assertTrue(text.contains("\n# `chown` keeps owner.\n"), text);
    }

    @Test
    void shouldRefuseAnOptionForALinkThatIsNotThere() {
        assertErrno(Errno.ENODEV, () -> store.set("alpha77", AlphaLinkType.LOSS, 0), "alpha77");
        assertFalse(store.isConfigured());
    }

    @Test
    void shouldTellChangesOfTheFile() {
        LinkStore.Version absent = store.version();
        assertEquals(absent, store.version());
        store.add("a", "alpha", loopback);
        LinkStore.Version first = store.version();
        assertNotEquals(absent, first);
        assertEquals(first, store.version());
        store.set("a", AlphaLinkType.LOSS, 1);
        assertNotEquals(first, store.version());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "link a type alpha netdev lo loss 700", "link a type beta netdev lo loss 7", "link a type alpha netdev lo loss 60 colour red",
        "link a type alpha netdev lo mtu 1024",
        "lnk a type alpha netdev lo", "link a type alpha netdev", "link a type ib netdev lo", "link a netdev lo type alpha",
        "link a/b type alpha netdev lo", "link a type alpha netdev lo mtu", "\u0000\u0001", "link first type alpha netdev lo"})
    void shouldReportGarbledLinesByFileAndLine(String garbled) throws IOException {
        String text = "# header\nlink first type alpha netdev lo\n" + garbled + "\n";
        write(text);

        String place = store.file() + ":3: ";
        assertErrno(Errno.EINVAL, store::links, place);
        assertErrno(Errno.EINVAL, store::effectiveLinks, place);
        assertErrno(Errno.EINVAL, () -> store.add("b", "alpha", loopback), place);
        assertErrno(Errno.EINVAL, () -> store.remove("first"), place);
        assertEquals(text, Files.readString(store.file()), "a file that is not understood must not be touched");
    }

    @Test
    void shouldKeepCommentsOfAnyEncoding() throws IOException {
        byte[] latin1 = "# Gr\u00fc\u00dfe\n".getBytes(StandardCharsets.ISO_8859_1);
        Files.createDirectories(store.file().getParent());
        Files.write(store.file(), latin1);

        store.add("a", "alpha", loopback);

        assertArrayEquals(latin1, Arrays.copyOf(Files.readAllBytes(store.file()), latin1.length));
    }

    @Test
    void shouldSayWhatStandsInTheWay() throws IOException {
        Files.writeString(directory.resolve("file"), "");

        assertErrno(Errno.EIO, () -> LinkStore.at(directory.resolve("file")).add("a", "alpha", loopback), "SOFTRDMA_STATE_DIR");
    }

    @Test
    void shouldLoseNoneOfManyConcurrentAdds() throws Exception {
        int writers = 16;
        try (ExecutorService threads = Executors.newFixedThreadPool(writers)) {
            List<Callable<Void>> adds = IntStream.range(0, writers).<Callable<Void>>mapToObj(i -> () -> {
                LinkStore.at(store.file().getParent()).add("link" + i, "alpha", loopback);
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
}
