// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import java.nio.ByteBuffer;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.agent.DeadlineHeap;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.cm.CmSidrRep;
import org.softrdma.wire.cm.CmSidrReq;
import org.softrdma.wire.mad.Mad;

/** Requesting side of a service ID resolution: one SIDR_REQ, repeated until it is answered. Source: IBA vol 1 §12.11. */
public final class SidrQuery extends DeadlineHeap.Timed implements Pacing.Request {
    private final CommunicationManager manager;
    private final int requestId;
    private final GidPair gids;
    private final SidrQueryListener listener;
    private ByteBuffer sent;
    private int retriesLeft;
    private long deadlineNs = Deadline.NEVER;

    SidrQuery(CommunicationManager manager, int requestId, GidPair gids, SidrQueryListener listener) {
        this.manager = manager;
        this.requestId = requestId;
        this.gids = gids;
        this.listener = listener;
        retriesLeft = manager.settings().maxRetries();
    }

    int requestId() {
        return requestId;
    }

    /** Returns the address of the peer. */
    @Override
    public Gid remote() {
        return gids.remote();
    }

    void start(long nowNs, long serviceId, int pkey, byte[] privateData) {
        sent = ByteBuffer.allocate(Mad.LENGTH);
        CmMessage.begin(sent, 0, CmMessage.SIDR_REQ, manager.transactionOf(requestId));
        CmSidrReq.REQUEST_ID.set(sent, 0, requestId);
        CmSidrReq.PKEY.set(sent, 0, pkey);
        CmSidrReq.SERVICE_ID.set(sent, 0, serviceId);
        CmMessage.putPrivateData(sent, 0, privateData);
        manager.pacing().submit(nowNs, this);
    }

    @Override
    public void onTurn(long nowNs) {
        manager.send(gids, sent);
        deadlineNs = nowNs + CmSettings.intervalNs(manager.settings().responseTimeout());
        manager.timers().update(this);
    }

    void onAnswer(long nowNs, ByteBuffer mad) {
        manager.pacing().onAnswered(nowNs, this);
        end();
        listener.onAnswer(this, CmSidrRep.STATUS.get(mad, 0), CmSidrRep.QPN.get(mad, 0), CmSidrRep.QKEY.get(mad, 0),
            CmMessage.privateData(mad, 0));
    }

    /** Ends the query without calling the listener. */
    public void abandon() {
        end();
    }

    private void end() {
        deadlineNs = Deadline.NEVER;
        manager.forget(this);
    }

    @Override
    public long deadlineNs() {
        return deadlineNs;
    }

    @Override
    public void onTimer(long nowNs) {
        if (retriesLeft > 0) {
            retriesLeft--;
            manager.counters().count(CmCounter.CM_REPEATED);
            onTurn(nowNs);
        } else {
            manager.counters().count(CmCounter.CM_TIMEOUTS);
            end();
            listener.onUnreachable(this);
        }
    }
}
