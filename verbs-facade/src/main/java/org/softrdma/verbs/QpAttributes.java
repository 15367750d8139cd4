// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/**
 * Attributes of a queue pair ({@code struct ibv_qp_attr}). Setting one also sets its bit of {@link #mask()}, so a modify call changes
 * exactly the attributes that were set. Also the result of {@code query_qp}, with every bit set that has a meaning for the queue pair's
 * service. Not thread-safe; a provider reads it during the call and keeps no reference.
 */
public final class QpAttributes {
    private int mask;
    private QpState state;
    private QpState curState;
    private boolean sqdAsyncNotify;
    private int accessFlags;
    private int pkeyIndex;
    private int port;
    private int qkey;
    private AddressVector addressVector;
    private Mtu pathMtu;
    private int timeout;
    private int retryCount;
    private int rnrRetry;
    private int rqPsn;
    private int maxRdAtomic;
    private int minRnrTimer;
    private int sqPsn;
    private int maxDestRdAtomic;
    private int destQpn;

    /** Creates attributes of which none is set. */
    public QpAttributes() {
    }

    /** {@return bits of {@link QpAttributeMask} for the attributes that are set} */
    public int mask() {
        return mask;
    }

    /**
     * Looks whether attributes are set.
     *
     * @param bits of {@link QpAttributeMask}
     * @return whether all of them are
     */
    public boolean has(int bits) {
        return (mask & bits) == bits;
    }

    /**
     * Copies the attributes that are set in another object; the others stay.
     *
     * @param change has precedence
     * @return this
     */
    public QpAttributes merge(QpAttributes change) {
        state = change.has(QpAttributeMask.STATE) ? change.state : state;
        curState = change.has(QpAttributeMask.CUR_STATE) ? change.curState : curState;
        sqdAsyncNotify = change.has(QpAttributeMask.EN_SQD_ASYNC_NOTIFY) ? change.sqdAsyncNotify : sqdAsyncNotify;
        accessFlags = change.has(QpAttributeMask.ACCESS_FLAGS) ? change.accessFlags : accessFlags;
        pkeyIndex = change.has(QpAttributeMask.PKEY_INDEX) ? change.pkeyIndex : pkeyIndex;
        port = change.has(QpAttributeMask.PORT) ? change.port : port;
        qkey = change.has(QpAttributeMask.QKEY) ? change.qkey : qkey;
        addressVector = change.has(QpAttributeMask.AV) ? change.addressVector : addressVector;
        pathMtu = change.has(QpAttributeMask.PATH_MTU) ? change.pathMtu : pathMtu;
        timeout = change.has(QpAttributeMask.TIMEOUT) ? change.timeout : timeout;
        retryCount = change.has(QpAttributeMask.RETRY_CNT) ? change.retryCount : retryCount;
        rnrRetry = change.has(QpAttributeMask.RNR_RETRY) ? change.rnrRetry : rnrRetry;
        rqPsn = change.has(QpAttributeMask.RQ_PSN) ? change.rqPsn : rqPsn;
        maxRdAtomic = change.has(QpAttributeMask.MAX_QP_RD_ATOMIC) ? change.maxRdAtomic : maxRdAtomic;
        minRnrTimer = change.has(QpAttributeMask.MIN_RNR_TIMER) ? change.minRnrTimer : minRnrTimer;
        sqPsn = change.has(QpAttributeMask.SQ_PSN) ? change.sqPsn : sqPsn;
        maxDestRdAtomic = change.has(QpAttributeMask.MAX_DEST_RD_ATOMIC) ? change.maxDestRdAtomic : maxDestRdAtomic;
        destQpn = change.has(QpAttributeMask.DEST_QPN) ? change.destQpn : destQpn;
        mask |= change.mask;
        return this;
    }

    /** {@return the new state} */
    public QpState state() {
        return state;
    }

    /**
     * Sets {@link #state()}.
     *
     * @param state new value
     * @return this
     */
    public QpAttributes state(QpState state) {
        this.state = state;
        mask |= QpAttributeMask.STATE;
        return this;
    }

    /** {@return the state the caller believes the queue pair to be in} */
    public QpState curState() {
        return curState;
    }

    /**
     * Sets {@link #curState()}.
     *
     * @param curState new value
     * @return this
     */
    public QpAttributes curState(QpState curState) {
        this.curState = curState;
        mask |= QpAttributeMask.CUR_STATE;
        return this;
    }

    /** {@return whether SQ_DRAINED is requested for when the send queue has drained} */
    public boolean sqdAsyncNotify() {
        return sqdAsyncNotify;
    }

    /**
     * Sets {@link #sqdAsyncNotify()}.
     *
     * @param sqdAsyncNotify new value
     * @return this
     */
    public QpAttributes sqdAsyncNotify(boolean sqdAsyncNotify) {
        this.sqdAsyncNotify = sqdAsyncNotify;
        mask |= QpAttributeMask.EN_SQD_ASYNC_NOTIFY;
        return this;
    }

    /** {@return rights of the peer: REMOTE_* bits of {@link AccessFlags}} */
    public int accessFlags() {
        return accessFlags;
    }

    /**
     * Sets {@link #accessFlags()}.
     *
     * @param accessFlags new value
     * @return this
     */
    public QpAttributes accessFlags(int accessFlags) {
        this.accessFlags = accessFlags;
        mask |= QpAttributeMask.ACCESS_FLAGS;
        return this;
    }

    /** {@return the index into the port's P_Key table} */
    public int pkeyIndex() {
        return pkeyIndex;
    }

    /**
     * Sets {@link #pkeyIndex()}.
     *
     * @param pkeyIndex new value
     * @return this
     */
    public QpAttributes pkeyIndex(int pkeyIndex) {
        this.pkeyIndex = pkeyIndex;
        mask |= QpAttributeMask.PKEY_INDEX;
        return this;
    }

    /** {@return the port number, from 1} */
    public int port() {
        return port;
    }

    /**
     * Sets {@link #port()}.
     *
     * @param port new value
     * @return this
     */
    public QpAttributes port(int port) {
        this.port = port;
        mask |= QpAttributeMask.PORT;
        return this;
    }

    /** {@return Q_Key of unreliable datagrams, 32 bits} */
    public int qkey() {
        return qkey;
    }

    /**
     * Sets {@link #qkey()}.
     *
     * @param qkey new value
     * @return this
     */
    public QpAttributes qkey(int qkey) {
        this.qkey = qkey;
        mask |= QpAttributeMask.QKEY;
        return this;
    }

    /** {@return the destination of packets} */
    public AddressVector addressVector() {
        return addressVector;
    }

    /**
     * Sets {@link #addressVector()}.
     *
     * @param addressVector new value
     * @return this
     */
    public QpAttributes addressVector(AddressVector addressVector) {
        this.addressVector = addressVector;
        mask |= QpAttributeMask.AV;
        return this;
    }

    /** {@return payload bytes of a full packet; both ends must use the same} */
    public Mtu pathMtu() {
        return pathMtu;
    }

    /**
     * Sets {@link #pathMtu()}.
     *
     * @param pathMtu new value
     * @return this
     */
    public QpAttributes pathMtu(Mtu pathMtu) {
        this.pathMtu = pathMtu;
        mask |= QpAttributeMask.PATH_MTU;
        return this;
    }

    /** {@return the local ACK timeout code: 4.096 µs · 2^timeout, 0 = none, 0..31} */
    public int timeout() {
        return timeout;
    }

    /**
     * Sets {@link #timeout()}.
     *
     * @param timeout new value
     * @return this
     */
    public QpAttributes timeout(int timeout) {
        this.timeout = timeout;
        mask |= QpAttributeMask.TIMEOUT;
        return this;
    }

    /** {@return transport retries, 0..7 (7 means seven)} */
    public int retryCount() {
        return retryCount;
    }

    /**
     * Sets {@link #retryCount()}.
     *
     * @param retryCount new value
     * @return this
     */
    public QpAttributes retryCount(int retryCount) {
        this.retryCount = retryCount;
        mask |= QpAttributeMask.RETRY_CNT;
        return this;
    }

    /** {@return retries after receiver-not-ready, 0..7 (7 means no limit)} */
    public int rnrRetry() {
        return rnrRetry;
    }

    /**
     * Sets {@link #rnrRetry()}.
     *
     * @param rnrRetry new value
     * @return this
     */
    public QpAttributes rnrRetry(int rnrRetry) {
        this.rnrRetry = rnrRetry;
        mask |= QpAttributeMask.RNR_RETRY;
        return this;
    }

    /** {@return the first PSN expected from the peer, 24 bits} */
    public int rqPsn() {
        return rqPsn;
    }

    /**
     * Sets {@link #rqPsn()}.
     *
     * @param rqPsn new value
     * @return this
     */
    public QpAttributes rqPsn(int rqPsn) {
        this.rqPsn = rqPsn;
        mask |= QpAttributeMask.RQ_PSN;
        return this;
    }

    /** {@return RDMA READs and atomics in flight as initiator} */
    public int maxRdAtomic() {
        return maxRdAtomic;
    }

    /**
     * Sets {@link #maxRdAtomic()}.
     *
     * @param maxRdAtomic new value
     * @return this
     */
    public QpAttributes maxRdAtomic(int maxRdAtomic) {
        this.maxRdAtomic = maxRdAtomic;
        mask |= QpAttributeMask.MAX_QP_RD_ATOMIC;
        return this;
    }

    /** {@return the delay code of the RNR NAK, sent to the peer when no receive is posted, 0..31 (0 is the longest)} */
    public int minRnrTimer() {
        return minRnrTimer;
    }

    /**
     * Sets {@link #minRnrTimer()}.
     *
     * @param minRnrTimer new value
     * @return this
     */
    public QpAttributes minRnrTimer(int minRnrTimer) {
        this.minRnrTimer = minRnrTimer;
        mask |= QpAttributeMask.MIN_RNR_TIMER;
        return this;
    }

    /** {@return the first PSN to send, 24 bits} */
    public int sqPsn() {
        return sqPsn;
    }

    /**
     * Sets {@link #sqPsn()}.
     *
     * @param sqPsn new value
     * @return this
     */
    public QpAttributes sqPsn(int sqPsn) {
        this.sqPsn = sqPsn;
        mask |= QpAttributeMask.SQ_PSN;
        return this;
    }

    /** {@return RDMA READs and atomics accepted from the peer at once} */
    public int maxDestRdAtomic() {
        return maxDestRdAtomic;
    }

    /**
     * Sets {@link #maxDestRdAtomic()}.
     *
     * @param maxDestRdAtomic new value
     * @return this
     */
    public QpAttributes maxDestRdAtomic(int maxDestRdAtomic) {
        this.maxDestRdAtomic = maxDestRdAtomic;
        mask |= QpAttributeMask.MAX_DEST_RD_ATOMIC;
        return this;
    }

    /** {@return the peer's queue pair number, 24 bits} */
    public int destQpn() {
        return destQpn;
    }

    /**
     * Sets {@link #destQpn()}.
     *
     * @param destQpn new value
     * @return this
     */
    public QpAttributes destQpn(int destQpn) {
        this.destQpn = destQpn;
        mask |= QpAttributeMask.DEST_QPN;
        return this;
    }

    /** Lists the attributes that are set by their C names, in the order of the mask's bits; hexadecimal where C tools print so. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        show(text, QpAttributeMask.STATE, "qp_state", state);
        show(text, QpAttributeMask.CUR_STATE, "cur_qp_state", curState);
        show(text, QpAttributeMask.EN_SQD_ASYNC_NOTIFY, "en_sqd_async_notify", sqdAsyncNotify);
        show(text, QpAttributeMask.ACCESS_FLAGS, "qp_access_flags", AccessFlags.names(accessFlags));
        show(text, QpAttributeMask.PKEY_INDEX, "pkey_index", pkeyIndex);
        show(text, QpAttributeMask.PORT, "port_num", port);
        show(text, QpAttributeMask.QKEY, "qkey", hex(qkey));
        show(text, QpAttributeMask.AV, "ah_attr", "{" + addressVector + "}");
        show(text, QpAttributeMask.PATH_MTU, "path_mtu", pathMtu == null ? null : pathMtu.bytes());
        show(text, QpAttributeMask.TIMEOUT, "timeout", timeout);
        show(text, QpAttributeMask.RETRY_CNT, "retry_cnt", retryCount);
        show(text, QpAttributeMask.RNR_RETRY, "rnr_retry", rnrRetry);
        show(text, QpAttributeMask.RQ_PSN, "rq_psn", hex(rqPsn));
        show(text, QpAttributeMask.MAX_QP_RD_ATOMIC, "max_rd_atomic", maxRdAtomic);
        show(text, QpAttributeMask.MIN_RNR_TIMER, "min_rnr_timer", minRnrTimer);
        show(text, QpAttributeMask.SQ_PSN, "sq_psn", hex(sqPsn));
        show(text, QpAttributeMask.MAX_DEST_RD_ATOMIC, "max_dest_rd_atomic", maxDestRdAtomic);
        show(text, QpAttributeMask.DEST_QPN, "dest_qp_num", hex(destQpn));
        return text.isEmpty() ? "nothing set" : text.toString();
    }

    private void show(StringBuilder text, int bit, String name, Object value) {
        if (has(bit)) {
            text.append(text.isEmpty() ? "" : ", ").append(name).append(' ').append(value);
        }
    }

    private static String hex(int value) {
        return "0x" + Integer.toHexString(value);
    }
}
