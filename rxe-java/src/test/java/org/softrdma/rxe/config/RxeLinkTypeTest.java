// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.host.config.ConfiguredLink;
import org.softrdma.host.config.LinkStore;
import org.softrdma.host.config.NetDevice;
import org.softrdma.link.fault.LinkFaults;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.VerbsException;

/** The options of rxe links in the user's file. */
class RxeLinkTypeTest {
    private final String loopback = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow().name();
    @TempDir
    private Path directory;
    private LinkStore store;

    @BeforeEach
    void open() {
        store = LinkStore.at(directory);
    }

    @Test
    void shouldKeepCongestionControlBesideFaults() throws IOException {
        write("link a type rxe netdev gone0\n");

        store.set("a", RxeLinkType.FAULT, LinkFaults.parse("drop=1%"));
        store.set("a", RxeLinkType.CONGESTION, CongestionControl.parse("dcqcn,rate=25gbit"));
        assertEquals("link a type rxe netdev gone0 fault drop=0.01,seed=1 congestion dcqcn,rate=25gbit\n", Files.readString(store.file()));
        assertEquals(25_000_000_000L, store.links().getFirst().get(RxeLinkType.CONGESTION).lineRate());
        store.set("a", RxeLinkType.FAULT, LinkFaults.NONE);
        assertEquals("link a type rxe netdev gone0 congestion dcqcn,rate=25gbit\n", Files.readString(store.file()));
        store.set("a", RxeLinkType.CONGESTION, CongestionControl.NONE);
        assertEquals("link a type rxe netdev gone0\n", Files.readString(store.file()));
        assertEquals(CongestionControl.NONE, store.links().getFirst().get(RxeLinkType.CONGESTION));

        write("link a type rxe netdev gone0 congestion red\n");
        assertErrno(Errno.EINVAL, () -> store.links(), "'red'");
    }

    @Test
    void shouldKeepTheRecoveryOfALink() throws IOException {
        write("link a type rxe netdev gone0\n");
        assertEquals(Recovery.TIMEOUT, store.links().getFirst().get(RxeLinkType.RECOVERY));

        store.set("a", RxeLinkType.RECOVERY, Recovery.parse("early"));
        assertEquals("link a type rxe netdev gone0 recovery early\n", Files.readString(store.file()));
        assertEquals(Recovery.EARLY, store.links().getFirst().get(RxeLinkType.RECOVERY));
        store.set("a", RxeLinkType.RECOVERY, Recovery.TIMEOUT);
        assertEquals("link a type rxe netdev gone0\n", Files.readString(store.file()));

        write("link a type rxe netdev gone0 recovery late\n");
        assertErrno(Errno.EINVAL, () -> store.links(), "'late'");
    }

    @Test
    void shouldKeepTheSegmentationOfALink() throws IOException {
        write("link a type rxe netdev gone0\n");
        assertEquals(Segmentation.FAITHFUL, store.links().getFirst().get(RxeLinkType.SEGMENTATION));

        store.set("a", RxeLinkType.SEGMENTATION, Segmentation.parse("equal"));
        assertEquals("link a type rxe netdev gone0 segmentation equal\n", Files.readString(store.file()));
        assertEquals(Segmentation.EQUAL, store.links().getFirst().get(RxeLinkType.SEGMENTATION));
        store.set("a", RxeLinkType.SEGMENTATION, Segmentation.FAITHFUL);
        assertEquals("link a type rxe netdev gone0\n", Files.readString(store.file()));

        write("link a type rxe netdev gone0 segmentation other\n");
        assertErrno(Errno.EINVAL, () -> store.links(), "'other'");
    }

    @Test
    void shouldKeepTheKeepAliveOfALink() throws IOException {
        write("link a type rxe netdev gone0\n");
        assertEquals(0, store.links().getFirst().get(RxeLinkType.KEEPALIVE));

        store.set("a", RxeLinkType.KEEPALIVE, RxeLinkType.KEEPALIVE.parse("2500ms"));
        assertEquals("link a type rxe netdev gone0 keepalive 2500ms\n", Files.readString(store.file()));
        assertEquals(2_500_000_000L, store.links().getFirst().get(RxeLinkType.KEEPALIVE));
        store.set("a", RxeLinkType.KEEPALIVE, RxeLinkType.KEEPALIVE.parse("none"));
        assertEquals("link a type rxe netdev gone0\n", Files.readString(store.file()));
        assertEquals(1_000_000, RxeLinkType.KEEPALIVE.parse("1ms"));
        assertEquals(60_000_000_000L, RxeLinkType.KEEPALIVE.parse("60s"));

        write("link a type rxe netdev gone0 keepalive 0s\n");
        assertErrno(Errno.EINVAL, () -> store.links(), "'0s'");
    }

    @Test
    void shouldKeepFaultsWithTheLink() throws IOException {
        write("# mine\nlink a type rxe netdev gone0 memlock ulimit\nlink b type rxe netdev gone0\n");

        store.set("a", RxeLinkType.FAULT, LinkFaults.parse("drop=1%,dir=rx"));
        assertEquals("# mine\nlink a type rxe netdev gone0 memlock ulimit fault drop=0.01,dir=rx,seed=1\nlink b type rxe netdev gone0\n",
            Files.readString(store.file()));
        assertEquals(LinkFaults.parse("drop=1%,dir=rx"), store.links().get(0).get(RxeLinkType.FAULT));
        assertEquals(LinkFaults.NONE, store.links().get(1).get(RxeLinkType.FAULT));

        store.set("a", RxeLinkType.FAULT, LinkFaults.parse("delay=5us"));
        assertEquals(LinkFaults.parse("delay=5us"), store.links().get(0).get(RxeLinkType.FAULT));
        store.set("a", RxeLinkType.FAULT, LinkFaults.NONE);
        assertEquals("# mine\nlink a type rxe netdev gone0 memlock ulimit\nlink b type rxe netdev gone0\n", Files.readString(store.file()));
    }

    @Test
    void shouldConfigureTheDefaultsWhenOneGetsFaults() {
        List<String> names = store.effectiveLinks().stream().map(ConfiguredLink::name).toList();

        store.set("rxe0", RxeLinkType.FAULT, LinkFaults.parse("drop=1"));

        assertEquals(names, store.links().stream().map(ConfiguredLink::name).toList());
        assertEquals("drop=1,seed=1", store.links().getFirst().get(RxeLinkType.FAULT).toString());
    }

    @Test
    void shouldKeepWhatCarriesPacketsAndWhichVersions() {
        store.add("rxe0", "rxe", loopback);
        assertEquals(RoceWire.UDP, wire());
        assertEquals(GidType.ROCE_V2, mode());

        store.set("rxe0", RxeLinkType.LINK, RxeLinkType.LINK.parse("raw"));
        assertEquals(RoceWire.RAW, wire());
        RxeLinkType.setRoceMode(store, "rxe0", GidType.ROCE_V1);
        assertEquals(GidType.ROCE_V1, mode());
        store.set("rxe0", RxeLinkType.ROCE, RxeLinkType.ROCE.parse("v2"));
        assertEquals(List.of(GidType.ROCE_V2), wire().types());
        assertEquals(GidType.ROCE_V2, mode(), "the mode that was chosen is not there any more");
    }

    @Test
    void shouldRefuseVersionOneWithoutRawFrames() {
        store.add("rxe0", "rxe", loopback);
        assertErrno(Errno.EINVAL, () -> store.set("rxe0", RxeLinkType.ROCE, RxeLinkType.ROCE.parse("v1")), "needs raw frames");
        assertErrno(Errno.EINVAL, () -> RxeLinkType.setRoceMode(store, "rxe0", GidType.ROCE_V1), "does not speak IB/RoCE v1");
        assertErrno(Errno.EINVAL, () -> store.set("rxe0", RxeLinkType.LINK, RxeLinkType.LINK.parse("smoke")), "raw or udp");
        store.set("rxe0", RxeLinkType.LINK, RxeLinkType.LINK.parse("raw"));
        store.set("rxe0", RxeLinkType.ROCE, RxeLinkType.ROCE.parse("v1"));
        assertErrno(Errno.EINVAL, () -> store.set("rxe0", RxeLinkType.LINK, RxeLinkType.LINK.parse("udp")), "needs raw frames");
        assertErrno(Errno.EINVAL, () -> store.set("rxe0", RxeLinkType.ROCE, RxeLinkType.ROCE.parse("v3")), "v1, v2 or v1,v2");
        assertEquals(List.of(GidType.ROCE_V1), wire().types());
    }

    private RoceWire wire() {
        return RxeLinkType.wire(store.links().getFirst());
    }

    private GidType mode() {
        return RxeLinkType.roceMode(store.links().getFirst());
    }

    private void write(String text) throws IOException {
        Files.writeString(store.file(), text);
    }

    private static void assertErrno(Errno errno, Executable call, String inMessage) {
        VerbsException refused = assertThrows(VerbsException.class, call);
        assertEquals(errno, refused.errno());
        assertTrue(refused.getMessage().contains(inMessage), refused.getMessage());
    }
}
