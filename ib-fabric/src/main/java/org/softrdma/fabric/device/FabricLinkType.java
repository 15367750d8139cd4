// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.device;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.softrdma.fabric.ipoib.Prefix;
import org.softrdma.fabric.net.PrefixText;
import org.softrdma.fabric.run.FabricDirectory;
import org.softrdma.host.config.ConfiguredLink;
import org.softrdma.host.config.LinkOption;
import org.softrdma.host.config.LinkType;
import org.softrdma.rxe.config.RxeLinkType;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Links of type {@value #NAME}, ports of fabrics, and their options. */
public final class FabricLinkType implements LinkType {
    /** The type word of {@code rdma link add NAME type ib}. */
    public static final String NAME = "ib";

    private static final int LAST_PORT = 254;
    private static final String NO_ADDRESSES = "none";

    /** Name of the fabric. */
    static final LinkOption<String> FABRIC = LinkOption.of("fabric", FabricDirectory.DEFAULT_NAME, FabricDirectory::checkName)
        .title("a fabric").required("the name of a fabric").syntax("NAME").settableOnAdd().build();

    /** Node whose port the device is at. */
    static final LinkOption<String> NODE = LinkOption.<String>of("node", null, FabricLinkType::parseNode)
        .title("a node").required("the id of a channel adapter").syntax("NODE").settableOnAdd().build();

    /** Port of the node, from 1. */
    static final LinkOption<Integer> PORT = LinkOption.of("port", 1, FabricLinkType::parsePort)
        .title("a port").required("the number of a port").syntax("N").settableOnAdd().build();

    /** IP addresses for connections by address. */
    static final LinkOption<List<Prefix>> ADDR = LinkOption.of("addr", List.<Prefix>of(), FabricLinkType::parseAddresses)
        .format(FabricLinkType::text).title("IP addresses").required("an address and its subnet, or several with commas, or none")
        .syntax("ADDRESS/LENGTH,...").settableOnAdd().build();

    private static final List<LinkOption<?>> OPTIONS = List.of(FABRIC, NODE, PORT, ADDR, RxeLinkType.FAULT, RxeLinkType.RECOVERY,
        RxeLinkType.KEEPALIVE, LinkOption.MEMLOCK, LinkOption.STRICT, LinkOption.RECORD);

    /** Creates the type, as {@link java.util.ServiceLoader} does. */
    public FabricLinkType() {
    }

    private static String parseNode(String word) {
        if (word.isEmpty() || word.contains("\"")) {
            throw new VerbsException(Errno.EINVAL, "setlink", "'" + word + "' is no id of a node; softrdma fabric show nodes lists them");
        }
        return word;
    }

    private static int parsePort(String word) {
        try {
            int number = Integer.parseInt(word);
            if (number >= 1 && number <= LAST_PORT) {
                return number;
            }
        } catch (NumberFormatException other) {
            // the same complaint
        }
        throw new VerbsException(Errno.EINVAL, "setlink", "port is 1 to " + LAST_PORT + ", not '" + word + "'");
    }

    private static List<Prefix> parseAddresses(String words) {
        if (words.equals(NO_ADDRESSES)) {
            return List.of();
        }
        try {
            return Arrays.stream(words.split(",", -1)).map(PrefixText::parse).toList();
        } catch (IllegalArgumentException wrong) {
            throw new VerbsException(Errno.EINVAL, "setlink", "addr: " + wrong.getMessage());
        }
    }

    private static String text(List<Prefix> addresses) {
        return addresses.isEmpty() ? NO_ADDRESSES : addresses.stream().map(PrefixText::of).collect(Collectors.joining(","));
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String protocol() {
        return "InfiniBand";
    }

    @Override
    public int order() {
        return 3;
    }

    @Override
    public boolean isOnInterface() {
        return false;
    }

    @Override
    public List<LinkOption<?>> options() {
        return OPTIONS;
    }

    @Override
    public void check(ConfiguredLink link) {
        if (link.get(NODE) == null) {
            throw new VerbsException(Errno.EINVAL, "setlink", "links of type ib need a node: node NODE; softrdma fabric show nodes lists"
                + " them");
        }
    }

    static AttachedPort port(ConfiguredLink link) {
        return new AttachedPort(link.get(FABRIC), link.get(NODE), link.get(PORT), link.get(ADDR));
    }
}
