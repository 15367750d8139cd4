// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.strict;

import org.softrdma.device.findings.StrictRule;
import org.softrdma.device.memory.RegionUse;
import org.softrdma.verbs.AccessFlags;

/** The use of a region: by this end and by peers, with which key, and until when. Any thread. */
public final class StrictRegion implements RegionUse {
    private static final int REMOTE = AccessFlags.REMOTE_ANY | AccessFlags.FLUSH_ANY;

    private final StrictContext context;
    private final String registration;
    private volatile boolean used;
    private volatile boolean rkeyGiven;

    /**
     * Creates the rules of a region, with the call that registers it.
     *
     * @param range its memory, as text
     */
    StrictRegion(StrictContext context, String range) {
        this.context = context;
        registration = "mr " + range + ", " + context.call("reg_mr");
    }

    /** The program reads the rkey, to give it to a peer. */
    public void onRkeyGiven() {
        rkeyGiven = true;
    }

    @Override
    public void onUse(int rights) {
        used = true;
        if ((rights & REMOTE) != 0 && !rkeyGiven && !context.isOutside()) {
            context.report(StrictRule.LKEY_GIVEN_AWAY, "a peer uses the key of a region whose rkey this program has not looked at: it was"
                + " given the lkey, which on some adapters is another number; send rkey()", registration);
        }
    }

    /** The program deregisters the region. */
    public void onClose(int lkey) {
        String request = context.outstanding(lkey);
        if (request != null) {
            context.report(StrictRule.MEMORY_IN_USE, "memory was deregistered, " + context.call("dereg_mr") + ", while a request that"
                + " names it is outstanding; poll its completion first", request);
        }
        if (!used) {
            context.report(StrictRule.MEMORY_UNUSED, "memory was registered and never used", registration);
        }
    }
}
