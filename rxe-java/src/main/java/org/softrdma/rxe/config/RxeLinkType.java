// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.config;

import java.util.List;
import org.softrdma.host.config.ConfiguredLink;
import org.softrdma.host.config.LinkOption;
import org.softrdma.host.config.LinkStore;
import org.softrdma.host.config.LinkType;
import org.softrdma.link.fault.LinkFaults;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.VerbsException;

/** Links of type {@value #NAME}, RoCE, and their options. */
public final class RxeLinkType implements LinkType {
    /** The type word of {@code rdma link add NAME type rxe}. */
    public static final String NAME = "rxe";

    /** Faults on the wire, for testing. */
    public static final LinkOption<LinkFaults> FAULT = LinkOption.of("fault", LinkFaults.NONE, LinkFaults::parse)
        .title("faults").required("faults, or none").syntax("none | KEY=VALUE[,KEY=VALUE]...").details(LinkFaults.SYNTAX)
        .followed().build();

    /** Congestion control. */
    public static final LinkOption<CongestionControl> CONGESTION =
        LinkOption.of("congestion", CongestionControl.NONE, CongestionControl::parse)
            .title("congestion control").required("congestion control, or none").syntax("none | dcqcn[,KEY=VALUE]...")
            .details(CongestionControl.SYNTAX).build();

    /** Discovery of losses that the peer has not reported. */
    public static final LinkOption<Recovery> RECOVERY = LinkOption.of("recovery", Recovery.TIMEOUT, Recovery::parse)
        .format(Recovery::word).title("loss recovery").required("timeout or early").syntax("timeout | early").details(Recovery.SYNTAX)
        .settableOnAdd().build();

    /** Idle time after which the peer of an RC queue pair is probed, nanoseconds; 0 for no probes. */
    public static final LinkOption<Long> KEEPALIVE = LinkOption.of("keepalive", 0L, KeepAliveTime::parse)
        .format(KeepAliveTime::format).title("keep-alive").required("a time, or none").syntax("none | TIME").details(KeepAliveTime.SYNTAX)
        .settableOnAdd().build();

    /** Segmentation of READs and WRITEs. */
    public static final LinkOption<Segmentation> SEGMENTATION =
        LinkOption.of("segmentation", Segmentation.FAITHFUL, Segmentation::parse).format(Segmentation::word).title("segmentation")
            .required("faithful or equal").syntax("faithful | equal").details(Segmentation.SYNTAX).settableOnAdd().build();

    /** Carrier of the packets: true for raw Ethernet frames, false for UDP sockets. */
    public static final LinkOption<Boolean> LINK = LinkOption.of("link", false, RoceWire::parseCarrier)
        .format(raw -> raw ? RoceWire.RAW_WORD : RoceWire.UDP_WORD).title("raw frames").required("raw or udp").syntax("raw | udp")
        .details("raw: Ethernet frames, with CAP_NET_RAW, RoCE v1 and v2; udp: sockets, RoCE v2 only\n").settableOnAdd().build();

    /** Versions of RoCE, in the order of the GID table; without the option, all that {@link #LINK} can carry. */
    public static final LinkOption<List<GidType>> ROCE = LinkOption.<List<GidType>>of("roce", null, RoceWire::parseVersions)
        .format(RoceWire::words).shown(link -> wire(link).raw() ? RoceWire.words(wire(link).types()) : null)
        .title("RoCE").required("v1, v2 or v1,v2").syntax("v1 | v2 | v1,v2").settableOnAdd().build();

    /** Way of packets that stay on this host; without the option, {@link LocalWire#usual}. */
    public static final LinkOption<LocalWire> WIRE = LinkOption.<LocalWire>of("wire", null, LocalWire::parse).format(LocalWire::word)
        .title("wire").required("udp, direct or shm").syntax("udp | direct | shm").details(LocalWire.SYNTAX).settableOnAdd().build();

    /** Version of RoCE for connections by address; without the option, as {@link RoceWire#usualMode} says. */
    public static final LinkOption<GidType> ROCE_MODE = LinkOption.<GidType>of("roce_mode", null, RoceWire::parseVersion)
        .format(RoceWire::word).title("RoCE mode").required("v1 or v2").syntax("v1 | v2").followed().keptBy("cma_roce_mode").build();

    private static final List<LinkOption<?>> OPTIONS = List.of(FAULT, CONGESTION, RECOVERY, KEEPALIVE, SEGMENTATION,
        LinkOption.MEMLOCK, LinkOption.STRICT, LinkOption.RECORD, LINK, ROCE, WIRE, ROCE_MODE);

    /** Creates the type, as {@link java.util.ServiceLoader} does. */
    public RxeLinkType() {
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String protocol() {
        return "RoCE";
    }

    @Override
    public int order() {
        return 1;
    }

    @Override
    public List<LinkOption<?>> options() {
        return OPTIONS;
    }

    @Override
    public void check(ConfiguredLink link) {
        wire(link);
    }

    /**
     * Carrier and versions, from {@link #LINK} and {@link #ROCE}.
     *
     * @param link of this type
     * @return both
     * @throws VerbsException EINVAL if the carrier does not have one of the versions; links from a {@link LinkStore} are checked
     */
    public static RoceWire wire(ConfiguredLink link) {
        return RoceWire.of(link.get(LINK), link.get(ROCE));
    }

    /**
     * Version of RoCE for connections by address: {@link #ROCE_MODE} if the link speaks it, else {@link RoceWire#usualMode}.
     *
     * @param link of this type
     * @return one of the types of its wire
     */
    public static GidType roceMode(ConfiguredLink link) {
        RoceWire wire = wire(link);
        GidType chosen = link.get(ROCE_MODE);
        return chosen != null && wire.types().contains(chosen) ? chosen : wire.usualMode();
    }

    /**
     * Sets {@link #ROCE_MODE}.
     *
     * @param store the links of this host
     * @param name  of a link in it
     * @param mode  version for connections by address
     * @throws VerbsException EINVAL: the link does not speak that version; otherwise as {@link LinkStore#set}
     */
    public static void setRoceMode(LinkStore store, String name, GidType mode) {
        store.update(name, link -> {
            List<GidType> types = wire(link).types();
            if (!types.contains(mode)) {
                throw new VerbsException(Errno.EINVAL, "setlink", name + " does not speak " + mode.text() + ", only "
                    + String.join(" and ", types.stream().map(GidType::text).toList())
                    + "; rdma link set " + name + " link raw gives it both");
            }
            return link.with(ROCE_MODE, mode);
        });
    }
}
