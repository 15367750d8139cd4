// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.config;

import java.util.List;
import org.softrdma.host.config.LinkOption;
import org.softrdma.host.config.LinkType;

/** Links of type {@value #NAME}, iWARP, and their options. */
public final class SiwLinkType implements LinkType {
    /** The type word of {@code rdma link add NAME type siw}. */
    public static final String NAME = "siw";

    /** Start-up of connections. */
    public static final LinkOption<MpaOptions> MPA = LinkOption.of("mpa", MpaOptions.DEFAULT, MpaOptions::parse)
        .title("MPA options").required("MPA options, or default").syntax("default | KEY=VALUE[,KEY=VALUE]...")
        .details(MpaOptions.SYNTAX).followed().build();

    private static final List<LinkOption<?>> OPTIONS = List.of(MPA, LinkOption.MEMLOCK, LinkOption.STRICT, LinkOption.RECORD);

    /** Creates the type, as {@link java.util.ServiceLoader} does. */
    public SiwLinkType() {
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String protocol() {
        return "iWARP";
    }

    @Override
    public int order() {
        return 2;
    }

    @Override
    public List<LinkOption<?>> options() {
        return OPTIONS;
    }
}
