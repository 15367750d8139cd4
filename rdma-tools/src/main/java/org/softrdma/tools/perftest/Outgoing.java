// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.util.List;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.SendBatch;
import org.softrdma.verbs.SendOps;
import org.softrdma.verbs.SendRequest;

/**
 * Messages that one queue pair sends. Small ones are spread over the buffers of both ends, so that not all of them use the same cache line.
 * Work requests are created once, two for each place, and posted repeatedly.
 */
final class Outgoing {
    private final Endpoint endpoint;
    private final Parameters parameters;
    private final int index;
    private final Keys peer;
    private final int messageBytes;
    private final QueuePair qp;
    private final SendRequest[] silent;
    private final SendRequest[] signaled;
    private final SendBatch batch;
    private final Credits credits;
    private int place;
    private long posted;
    private long completed;
    private boolean lacksCredits;

    /**
     * Creates the work requests.
     *
     * @param index of the queue pair, which is also the work requests' id
     */
    Outgoing(Endpoint endpoint, int index, Keys peer, int messageBytes) {
        this.endpoint = endpoint;
        this.parameters = endpoint.parameters;
        this.index = index;
        this.peer = peer;
        this.messageBytes = messageBytes;
        qp = endpoint.queuePair(index);
        silent = new SendRequest[endpoint.steps(messageBytes)];
        signaled = new SendRequest[silent.length];
        for (int i = 0; i < silent.length; i++) {
            silent[i] = fill(new SendRequest(), i);
            signaled[i] = fill(new SendRequest(), i).signaled();
        }
        credits = endpoint.credits();
        batch = parameters.postList == 1 ? null : qp.sendBatch(SendOps.of(silent[0].opcode()));
    }

    static Outgoing[] all(Endpoint endpoint, List<Keys> peers, int messageBytes) {
        Outgoing[] all = new Outgoing[endpoint.parameters.queuePairs];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Outgoing(endpoint, i, peers.get(i), messageBytes);
        }
        return all;
    }

    private SendRequest fill(SendRequest request, int at) {
        long walked = (long) at * endpoint.step(messageBytes);
        long remote = peer.address() + walked;
        switch (parameters.verb) {
            case SEND -> request.send();
            case WRITE -> request.write(remote, peer.rkey());
            case READ -> request.read(remote, peer.rkey());
            case ATOMIC -> {
                if (parameters.compareAndSwap) {
                    request.compareAndSwap(remote, peer.rkey(), 0, 0);
                } else {
                    request.fetchAndAdd(remote, peer.rkey(), 1);
                }
            }
        }
        Endpoint.Destination to = endpoint.destination(index);
        if (to != null) {
            request.to(to.handle(), to.qpn(), to.qkey());
        }
        request.wrId(index).element(endpoint.region(), endpoint.sendsFrom(index) + walked, messageBytes);
        return messageBytes <= parameters.inlineSize ? request.inline() : request;
    }

    /** Posts the next message. */
    void post(boolean visibly) {
        qp.postSend((visibly ? signaled : silent)[place]);
        advance();
    }

    /**
     * Posts as many messages as are due, fit into the queue and are granted by the peer.
     *
     * @return number of messages posted
     */
    int fillQueue(BandwidthRecorder recorder) {
        long before = posted;
        lacksCredits = false;
        while ((parameters.timed || posted < parameters.iterations) && posted - completed + parameters.postList <= parameters.txDepth) {
            if (credits != null && !credits.suffice(index, posted, parameters.postList)) {
                lacksCredits = true;
                break;
            }
            recorder.onPost(parameters.postList);
            if (parameters.postList == 1) {
                post((posted + 1) % parameters.cqModeration == 0 || !parameters.timed && posted + 1 == parameters.iterations);
            } else {
                postList();
            }
        }
        return (int) (posted - before);
    }

    /** Whether {@link #fillQueue} stopped for lack of credits from the peer. */
    boolean lacksCredits() {
        return lacksCredits;
    }

    private void postList() {
        batch.start();
        for (int i = 1; i <= parameters.postList; i++) {
            SendRequest request = fill(batch.add(), place);
            if (i % parameters.cqModeration == 0) {
                request.signaled();
            }
            advance();
        }
        batch.complete();
    }

    private void advance() {
        place = place + 1 == silent.length ? 0 : place + 1;
        posted++;
    }

    /**
     * Processes a completion, which stands for the unsignalled messages before it as well.
     *
     * @return number of messages it stands for
     */
    long complete() {
        long before = completed;
        completed = Math.min(posted, completed + parameters.cqModeration);
        return completed - before;
    }
}
