// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import java.nio.ByteBuffer;
import org.softrdma.device.agent.DeadlineHeap;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.cm.CmSidrRep;
import org.softrdma.wire.cm.CmSidrReq;
import org.softrdma.wire.mad.Mad;

/**
 * The asked side of a service id resolution. The answer is remembered for as long as the question may be repeated, so that one question
 * takes one queue pair only; kernel 6.1 asks its consumer again. Source: IBA vol 1 §12.11.
 */
public final class SidrRequest extends DeadlineHeap.Timed {
    private final CommunicationManager manager;
    private final Key key;
    private final GidPair gids;
    private final long serviceId;
    private final int pkey;
    private final byte[] privateData;
    private ByteBuffer answer;
    private long deadlineNs = DeadlineHeap.NEVER;

    /** Which question: request ids of different peers may be equal. */
    record Key(Gid remote, int requestId, long transaction) {
    }

    SidrRequest(CommunicationManager manager, Key key, GidPair gids, ByteBuffer mad) {
        this.manager = manager;
        this.key = key;
        this.gids = gids;
        serviceId = CmSidrReq.SERVICE_ID.getLong(mad, 0);
        pkey = CmSidrReq.PKEY.get(mad, 0);
        privateData = CmMessage.privateData(mad, 0);
    }

    Key key() {
        return key;
    }

    /** Address of ours that was asked. */
    public Gid local() {
        return gids.local();
    }

    /** Address the question came from. */
    public Gid remote() {
        return key.remote();
    }

    public long serviceId() {
        return serviceId;
    }

    /** Partition the asking side wants to use, u16. */
    public int pkey() {
        return pkey;
    }

    /** 216 bytes. */
    public byte[] privateData() {
        return privateData;
    }

    /**
     * Answers, once.
     *
     * @param status {@link CmSidrRep#VALID} with a queue pair, else one of the others with 0 and 0
     * @param qpn    u24
     * @param qkey   u32
     * @param data   up to 136 bytes
     * @throws VerbsException EINVAL if it was answered already
     */
    public void answer(long nowNs, int status, int qpn, int qkey, byte[] data) {
        if (answer != null) {
            throw new VerbsException(Errno.EINVAL, "rdma_accept", "the question from " + key.remote() + " was answered already");
        }
        answer = newAnswer(status, qpn, qkey);
        CmMessage.putPrivateData(answer, 0, data);
        manager.send(gids, answer);
        CmSettings settings = manager.settings();
        deadlineNs = nowNs + CmSettings.intervalNs(settings.responseTimeout()) * (settings.maxRetries() + 1);
        manager.timers().update(this);
        manager.rememberAnswer(this);
    }

    /** Answers a question nobody waits for; nothing is remembered. */
    void decline(int status) {
        manager.send(gids, newAnswer(status, 0, 0));
    }

    /** Nobody will answer any more: refused, unless it was answered already. */
    public void abandon(long nowNs) {
        if (answer == null) {
            answer(nowNs, CmSidrRep.REJECTED, 0, 0, new byte[0]);
        }
    }

    private ByteBuffer newAnswer(int status, int qpn, int qkey) {
        ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
        CmMessage.begin(mad, 0, CmMessage.SIDR_REP, key.transaction());
        CmSidrRep.REQUEST_ID.set(mad, 0, key.requestId());
        CmSidrRep.STATUS.set(mad, 0, status);
        CmSidrRep.QPN.set(mad, 0, qpn);
        CmSidrRep.SERVICE_ID.set(mad, 0, serviceId);
        CmSidrRep.QKEY.set(mad, 0, qkey);
        return mad;
    }

    void onDuplicateRequest() {
        if (answer != null) {
            manager.send(gids, answer);
        }
    }

    @Override
    public long deadlineNs() {
        return deadlineNs;
    }

    @Override
    public void onTimer(long nowNs) {
        deadlineNs = DeadlineHeap.NEVER;
        manager.forget(this);
    }
}
