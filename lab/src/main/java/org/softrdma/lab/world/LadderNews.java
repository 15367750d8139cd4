// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.world;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.softrdma.lab.ladder.Arrow;
import org.softrdma.lab.ladder.Ladder;

/** New and changed arrows of a ladder, in columns, a limited number at a time. */
final class LadderNews {
    private static final int MOST_AT_ONCE = 4000;

    private LadderNews() {
    }

    static void add(Ladder ladder, Cursor seen, Map<String, Object> news) {
        List<Arrow> all = ladder.arrows();
        int until = Math.min(all.size(), seen.arrows + MOST_AT_ONCE);
        List<List<Object>> rows = new ArrayList<>();
        for (Arrow each : all.subList(seen.arrows, until)) {
            rows.add(List.of(each.sentNs(), each.from(), each.to(), each.length(), each.summary().label(), each.summary().kind().name(),
                each.summary().qpn(), each.summary().psn(), each.isRepeated() ? 1 : 0, each.note()));
        }
        Set<Arrow> changed = new LinkedHashSet<>();
        int lastChange = Math.min(ladder.changes().size(), seen.changes + MOST_AT_ONCE);
        boolean more = until < all.size() || lastChange < ladder.changes().size();
        for (int i = seen.changes; i < lastChange; i++) {
            Arrow each = ladder.changes().get(i);
            if (each.id() >= until) {
                // Not shown yet: this and all later changes wait.
                lastChange = i;
                more = true;
                break;
            }
            changed.add(each);
        }
        // Captured arrows have arrived when they were added.
        for (Arrow each : all.subList(seen.arrows, until)) {
            if (each.arrivedNs() != Arrow.NOT_ARRIVED) {
                changed.add(each);
            }
        }
        List<List<Object>> ends = new ArrayList<>();
        changed.forEach(each -> ends.add(List.of(each.id(), each.arrivedNs(), each.fate(), each.note())));
        Map<String, Object> part = new LinkedHashMap<>();
        part.put("first", seen.arrows);
        part.put("rows", rows);
        part.put("ends", ends);
        part.put("full", ladder.isFull());
        news.put("ladder", part);
        news.put("more", more);
        seen.arrows = until;
        seen.changes = lastChange;
    }
}
