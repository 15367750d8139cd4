// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import org.softrdma.verbs.MemoryRegion;

/** A memory region. */
final class HeldMr extends HeldObject {
    private final MemoryRegion region;
    private final ContextObjects objects;
    private final int lkey;

    HeldMr(MemoryRegion region, ContextObjects objects) {
        super(Kind.MR);
        this.region = region;
        this.objects = objects;
        lkey = region.lkey();
        objects.add(region);
    }

    MemoryRegion region() {
        return region;
    }

    @Override
    void destroy() {
        region.close();
        objects.removeRegion(lkey);
    }
}
