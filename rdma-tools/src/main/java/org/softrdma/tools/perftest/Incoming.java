// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SharedReceiveQueue;

/** Receives of one queue pair, posted to itself or to the shared queue; small ones are spread as {@link Outgoing}'s are. */
final class Incoming {
    private final QueuePair qp;
    private final SharedReceiveQueue srq;
    private final Parameters parameters;
    private final Credits credits;
    private final int index;
    private final ReceiveRequest[] requests;
    private int place;
    private long posted;

    private Incoming(Endpoint endpoint, int index, int messageBytes) {
        qp = endpoint.queuePair(index);
        srq = endpoint.srq();
        parameters = endpoint.parameters;
        credits = endpoint.credits();
        this.index = index;
        requests = new ReceiveRequest[endpoint.steps(messageBytes)];
        for (int i = 0; i < requests.length; i++) {
            requests[i] = new ReceiveRequest().begin(index).element(endpoint.region(),
                endpoint.receivesInto(index) + (long) i * endpoint.step(messageBytes),
                messageBytes + (parameters.isUd() ? Endpoint.GRH_BYTES : 0));
        }
    }

    /** Creates the receives of all queue pairs and posts as many as their queues hold. */
    static Incoming[] all(Endpoint endpoint, int messageBytes) {
        Parameters parameters = endpoint.parameters;
        int each = parameters.sharedReceives ? parameters.rxDepth / parameters.queuePairs : parameters.rxDepth;
        Incoming[] all = new Incoming[parameters.queuePairs];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Incoming(endpoint, i, messageBytes);
            for (int j = 0; j < each; j++) {
                all[i].post();
            }
        }
        return all;
    }

    /** Processes a received message: posts its receive again if more messages follow, and reports the count to the peer when due. */
    void taken() {
        if (parameters.timed || posted < parameters.iterations) {
            post();
        }
        if (credits != null) {
            credits.onReceived(index);
        }
    }

    private void post() {
        if (srq == null) {
            qp.postReceive(requests[place]);
        } else {
            srq.postReceive(requests[place]);
        }
        place = place + 1 == requests.length ? 0 : place + 1;
        posted++;
    }
}
