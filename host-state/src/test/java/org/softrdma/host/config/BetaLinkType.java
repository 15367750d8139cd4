// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.config;

import java.util.List;

/** A type of link for tests, the second of two; it shares one option with {@link AlphaLinkType}. */
public final class BetaLinkType implements LinkType {
    static final LinkOption<String> START = LinkOption.of("start", "now", word -> word).build();

    @Override
    public String name() {
        return "beta";
    }

    @Override
    public String protocol() {
        return "Beta";
    }

    @Override
    public int order() {
        return 2;
    }

    @Override
    public List<LinkOption<?>> options() {
        return List.of(START, LinkOption.MEMLOCK);
    }
}
