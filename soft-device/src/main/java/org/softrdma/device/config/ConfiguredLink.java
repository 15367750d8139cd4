// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.config;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.VerbsException;

/**
 * One device a user asked for: {@code rdma link add NAME type TYPE netdev NETDEV}.
 *
 * @param type    {@code rxe} or {@code siw}
 * @param netdev  name of the network interface beneath; it need not exist at the moment
 * @param options further words of the line, in order
 */
public record ConfiguredLink(String name, String type, String netdev, Map<String, String> options) {
    /** The option that holds a link's faults, as {@link LinkFaults#parse} reads them. */
    public static final String FAULT_OPTION = "fault";
    /** The option that holds a link's congestion control, as {@link CongestionControl#parse} reads it. */
    public static final String CONGESTION_OPTION = "congestion";
    /** The option that says what carries packets: {@code raw} or {@code udp}. */
    public static final String LINK_OPTION = "link";
    /** The option that says which versions of RoCE a link speaks: {@code v1}, {@code v2} or {@code v1,v2}. */
    public static final String ROCE_OPTION = "roce";
    /** The option that says which of them connections by address use: {@code v1} or {@code v2}. */
    public static final String ROCE_MODE_OPTION = "roce_mode";

    /** The option that holds how a link's connections are set up, as {@link MpaOptions#parse} reads it. */
    public static final String MPA_OPTION = "mpa";
    /** The option that says whether registered memory counts against the process's limit: {@value #MEMLOCK_ULIMIT}, or not given. */
    public static final String MEMLOCK_OPTION = "memlock";
    /** The value of {@link #MEMLOCK_OPTION}: as {@code ulimit -l} says. */
    public static final String MEMLOCK_ULIMIT = "ulimit";

    public ConfiguredLink {
        options = Collections.unmodifiableMap(new LinkedHashMap<>(options));
    }

    /**
     * What {@link #FAULT_OPTION} says.
     *
     * @throws org.softrdma.verbs.VerbsException EINVAL if it is not understood; links from a {@link LinkStore} are
     */
    public LinkFaults faults() {
        String text = options.get(FAULT_OPTION);
        return text == null ? LinkFaults.NONE : LinkFaults.parse(text);
    }

    /**
     * What {@link #CONGESTION_OPTION} says.
     *
     * @throws org.softrdma.verbs.VerbsException EINVAL if it is not understood; links from a {@link LinkStore} are
     */
    public CongestionControl congestion() {
        String text = options.get(CONGESTION_OPTION);
        return text == null ? CongestionControl.NONE : CongestionControl.parse(text);
    }

    /**
     * What {@link #MPA_OPTION} says.
     *
     * @throws org.softrdma.verbs.VerbsException EINVAL if it is not understood; links from a {@link LinkStore} are
     */
    public MpaOptions mpa() {
        String text = options.get(MPA_OPTION);
        return text == null ? MpaOptions.DEFAULT : MpaOptions.parse(text);
    }

    /**
     * Whether {@link #MEMLOCK_OPTION} is given.
     *
     * @throws VerbsException EINVAL if it has another value than {@link #MEMLOCK_ULIMIT}; links from a {@link LinkStore} have not
     */
    public boolean limitsMemory() {
        String text = options.get(MEMLOCK_OPTION);
        if (text != null && !text.equals(MEMLOCK_ULIMIT)) {
            throw new VerbsException(Errno.EINVAL, "set_memlock", "'" + text + "' is neither none nor " + MEMLOCK_ULIMIT);
        }
        return text != null;
    }

    /**
     * What {@link #LINK_OPTION} and {@link #ROCE_OPTION} say.
     *
     * @throws org.softrdma.verbs.VerbsException EINVAL if they are not understood; links from a {@link LinkStore} are
     */
    public RoceWire wire() {
        return RoceWire.parse(options.get(LINK_OPTION), options.get(ROCE_OPTION));
    }

    /**
     * The version of RoCE that connections by address use: what {@link #ROCE_MODE_OPTION} says, as long as the link speaks it.
     *
     * @throws org.softrdma.verbs.VerbsException EINVAL if it is not understood; links from a {@link LinkStore} are
     */
    public GidType roceMode() {
        String text = options.get(ROCE_MODE_OPTION);
        GidType chosen = text == null ? wire().usualMode() : RoceWire.mode(text);
        return wire().types().contains(chosen) ? chosen : wire().usualMode();
    }

    /** The same link with these faults. */
    public ConfiguredLink withFaults(LinkFaults faults) {
        return with(FAULT_OPTION, faults.isNone() ? null : faults.toString());
    }

    /** The same link with this congestion control. */
    public ConfiguredLink withCongestion(CongestionControl congestion) {
        return with(CONGESTION_OPTION, congestion.on() ? congestion.toString() : null);
    }

    /** The same link, its connections set up like this. */
    public ConfiguredLink withMpa(MpaOptions mpa) {
        return with(MPA_OPTION, mpa.equals(MpaOptions.DEFAULT) ? null : mpa.toString());
    }

    /** The same link, with or without a limit of its memory. */
    public ConfiguredLink withMemoryLimit(boolean limited) {
        return with(MEMLOCK_OPTION, limited ? MEMLOCK_ULIMIT : null);
    }

    /** The same link in raw frames or over UDP sockets. @param carrier {@code raw} or {@code udp}, which is the same as nothing */
    public ConfiguredLink withCarrier(String carrier) {
        return with(LINK_OPTION, carrier.equals(RoceWire.UDP_WORD) ? null : carrier);
    }

    /** The same link with these versions of RoCE. @param versions as {@link #ROCE_OPTION} has them */
    public ConfiguredLink withVersions(String versions) {
        return with(ROCE_OPTION, versions);
    }

    /** The same link whose connections by address use that version. */
    public ConfiguredLink withRoceMode(GidType mode) {
        return with(ROCE_MODE_OPTION, RoceWire.word(mode));
    }

    private ConfiguredLink with(String option, String value) {
        Map<String, String> changed = new LinkedHashMap<>(options);
        if (value == null) {
            changed.remove(option);
        } else {
            changed.put(option, value);
        }
        return new ConfiguredLink(name, type, netdev, changed);
    }
}
