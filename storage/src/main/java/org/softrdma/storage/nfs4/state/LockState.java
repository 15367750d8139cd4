// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4.state;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Locks that an owner of a client has on an open file: ranges that do not overlap. */
final class LockState extends State {
    final OpenState open;
    final ByteBuffer owner;
    final List<LockRange> ranges = new ArrayList<>();

    LockState(OpenState open, ByteBuffer owner, StateId id) {
        super(open.client, open.file, id);
        this.open = open;
        this.owner = owner;
    }

    /** Removes a range, also from the middle of others. */
    void remove(LockRange range) {
        for (LockRange each : List.copyOf(ranges)) {
            if (each.overlaps(range)) {
                ranges.remove(each);
                if (Long.compareUnsigned(each.first(), range.first()) < 0) {
                    ranges.add(new LockRange(each.first(), range.first() - 1, each.write()));
                }
                if (Long.compareUnsigned(each.last(), range.last()) > 0) {
                    ranges.add(new LockRange(range.last() + 1, each.last(), each.write()));
                }
            }
        }
    }

    /** Sets a range, in place of what it had there, and joins it with its neighbours of the same type. */
    void add(LockRange range) {
        remove(range);
        LockRange joined = range;
        for (LockRange each : List.copyOf(ranges)) {
            if (each.isNextTo(joined)) {
                ranges.remove(each);
                joined = each.joined(joined);
            }
        }
        ranges.add(joined);
    }
}
