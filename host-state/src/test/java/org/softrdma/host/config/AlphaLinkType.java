// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.config;

import java.util.List;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** A type of link for tests, the first of two, with one option of every kind. */
public final class AlphaLinkType implements LinkType {
    /** In percent, 0..100. */
    static final LinkOption<Integer> LOSS = LinkOption.of("loss", 0, AlphaLinkType::percent).title("loss").followed().build();
    /** Red links must not lose more than half of their packets. */
    static final LinkOption<String> COLOUR = LinkOption.of("colour", "grey", word -> word).settableOnAdd().build();
    static final LinkOption<String> OWNER = LinkOption.<String>of("owner", null, word -> word).keptBy("chown").build();

    private static int percent(String word) {
        if (!word.matches("[0-9]{1,2}|100")) {
            throw new VerbsException(Errno.EINVAL, "set_loss", "loss=" + word + " is not in 0..100");
        }
        return Integer.parseInt(word);
    }

    @Override
    public String name() {
        return "alpha";
    }

    @Override
    public String protocol() {
        return "Alpha";
    }

    @Override
    public int order() {
        return 1;
    }

    @Override
    public List<LinkOption<?>> options() {
        return List.of(LOSS, LinkOption.MEMLOCK, COLOUR, OWNER);
    }

    @Override
    public void check(ConfiguredLink link) {
        if (link.get(COLOUR).equals("red") && link.get(LOSS) > 50) {
            throw new VerbsException(Errno.EINVAL, "setlink", "too lossy to be red");
        }
    }
}
