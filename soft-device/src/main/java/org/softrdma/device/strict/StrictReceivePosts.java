// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.strict;

import java.util.function.Supplier;
import org.softrdma.device.findings.StrictRule;
import org.softrdma.device.queue.ReceiveRing;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.ReceiveRequest;

/** The posting side of a receive queue, of a queue pair or shared, with the rules of adapters. */
public final class StrictReceivePosts {
    private static final int GRH_BYTES = 40;

    private final StrictContext context;
    private final String verb;
    private final Supplier<String> queue;
    private final int pd;
    /** Completion queue of the receives; null if that depends on the queue pair that takes them. */
    private final StrictCompletions completions;
    private final boolean datagrams;
    /** The last call that posted a receive; before the first one, that which created the queue. */
    private volatile String last;

    /**
     * Creates the rules of a receive queue, with the call that creates the queue.
     *
     * @param verb        of its posts
     * @param queue       name in findings
     * @param pd          protection domain that its elements' keys must belong to
     * @param completions null for a shared queue
     * @param datagrams   each receive begins with the global route header
     */
    StrictReceivePosts(StrictContext context, String verb, Supplier<String> queue, int pd, StrictCompletions completions,
            boolean datagrams) {
        this.context = context;
        this.verb = verb;
        this.queue = queue;
        this.pd = pd;
        this.completions = completions;
        this.datagrams = datagrams;
        last = "its creation at " + context.call(verb).where();
    }

    /** Creates a ring for the receives. */
    public ReceiveRing ring(int maxWr, int maxElements) {
        return new StrictReceiveRing(this, maxWr, maxElements);
    }

    void onPost(ReceiveRequest request) {
        String name = context.name(queue, request.wrId(), verb);
        last = name;
        long bytes = 0;
        for (int i = 0; i < request.elements(); i++) {
            context.checkElement(pd, i, request.address(i), request.length(i), request.lkey(i), AccessFlags.LOCAL_WRITE, name);
            bytes += Integer.toUnsignedLong(request.length(i));
        }
        if (datagrams && bytes < GRH_BYTES) {
            context.report(StrictRule.ROOM_FOR_GRH, "a receive of " + bytes + " bytes for datagrams, which begin with " + GRH_BYTES
                + " bytes for the global route header: it fails with LOC_LEN_ERR", name);
        }
        if (completions != null) {
            completions.onPosted(name);
        }
    }

    /** A message found no receive. */
    void onMissing(String taker) {
        context.report(StrictRule.RECEIVE_TOO_LATE, "a message to " + taker + " found no receive: a reliable peer has to wait and send it"
            + " again, others lose it; post receives before the peer sends", last);
    }

    StrictCompletions completions() {
        return completions;
    }
}
