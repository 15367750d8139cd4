// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import java.nio.ByteBuffer;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.agent.DeadlineHeap;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.cm.CmSidrRep;
import org.softrdma.wire.cm.CmSidrReq;
import org.softrdma.wire.mad.Mad;

/**
 * Responding side of a service ID resolution. The answer is kept as long as the request may be repeated, so that one request uses only one
 * queue pair; kernel 6.1 passes each repetition to its consumer. Source: IBA vol 1 §12.11.
 */
public final class SidrRequest extends DeadlineHeap.Timed {
    private final CommunicationManager manager;
    private final Key key;
    private final GidPair gids;
    private final long serviceId;
    private final int pkey;
    private final byte[] privateData;
    private ByteBuffer answer;
    private long deadlineNs = Deadline.NEVER;

    /** Identity of a request; request IDs of different peers may be equal. */
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

    /** Returns our address, to which the request was sent. */
    public Gid local() {
        return gids.local();
    }

    /** Returns the source address of the request. */
    public Gid remote() {
        return key.remote();
    }

    public long serviceId() {
        return serviceId;
    }

    /** Returns the P_Key that the requesting side wants to use, u16. */
    public int pkey() {
        return pkey;
    }

    /** Returns the private data, 216 bytes. */
    public byte[] privateData() {
        return privateData;
    }

    /**
     * Answers the request, once.
     *
     * @param status {@link CmSidrRep#VALID} with a queue pair, else one of the others with 0 and 0
     * @param qpn    u24
     * @param qkey   u32
     * @param data   up to 136 bytes
     * @throws VerbsException EINVAL if it was answered already
     */
    public void answer(long nowNs, int status, int qpn, int qkey, byte[] data) {
        if (answer != null) {
            throw new VerbsException(Errno.EINVAL, "accept", "the request from " + key.remote() + " was answered already");
        }
        answer = newAnswer(status, qpn, qkey);
        CmMessage.putPrivateData(answer, 0, data);
        manager.send(gids, answer);
        CmSettings settings = manager.settings();
        deadlineNs = nowNs + CmSettings.intervalNs(settings.responseTimeout()) * (settings.maxRetries() + 1);
        manager.timers().update(this);
        manager.rememberAnswer(this);
    }

    /** Refuses a request that no listener took, without keeping the answer. */
    void decline(int status) {
        manager.sendRefusal(gids, newAnswer(status, 0, 0));
    }

    /** Refuses the request, unless it was answered already. */
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
        deadlineNs = Deadline.NEVER;
        manager.forget(this);
    }
}
