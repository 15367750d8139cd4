// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Gives requests and receives fresh bytes of the memory of their side, in elements of any length. */
final class Placement {
    private final SplittableRandom random;
    private final int maxSge;

    Placement(SplittableRandom random, int maxSge) {
        this.random = random;
        this.maxSge = maxSge;
    }

    /** Where something may lie: now and then in the region to which something will happen. */
    ShadowedMemory memoryOf(Endpoint endpoint) {
        return endpoint.doomed != null && random.nextInt(2) == 0 ? endpoint.doomed : endpoint.side.memory;
    }

    /** Gives a request its elements: fresh slots of the initiator's memory. */
    void addElements(PlannedRequest request) {
        int count = request.length == 0 ? random.nextInt(2) : 1 + random.nextInt(maxSge);
        request.local = split(request.stream.initiator, request.length, count);
    }

    List<Slot> split(Endpoint endpoint, int length, int count) {
        List<Slot> slots = new ArrayList<>();
        int left = length;
        for (int i = 0; i < count; i++) {
            int bytes = i == count - 1 ? left : random.nextInt(4) == 0 ? 0 : random.nextInt(left + 1);
            slots.add(memoryOf(endpoint).reserve(bytes, 1 + random.nextInt(8)));
            left -= bytes;
        }
        return slots;
    }

    void drawInline(PlannedRequest request) {
        // Posting inline data by key from a region that is gone is refused at once, which is another test's business.
        request.inline = request.length <= Side.MAX_INLINE && random.nextInt(3) == 0
            && request.local.stream().noneMatch(slot -> slot.memory().isDoomed());
    }
}
