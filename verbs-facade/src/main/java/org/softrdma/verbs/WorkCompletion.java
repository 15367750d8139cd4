// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/**
 * One work completion ({@code struct ibv_wc}). The caller owns it and reuses it for {@link CompletionQueue#poll};
 * a provider fills it with {@link #set}. After a failure only {@link #wrId}, {@link #status}, {@link #qpNum}, {@link #vendorError} and
 * {@link #explanation} are defined.
 */
public final class WorkCompletion {
    private long wrId;
    private WcStatus status = WcStatus.SUCCESS;
    private WcOpcode opcode = WcOpcode.SEND;
    private int vendorError;
    private int byteLength;
    private int immediateOrRkey;
    private int qpNum;
    private int sourceQp;
    private int flags;
    private int slid;
    private int sl;
    private int dlidPathBits;
    /** Null if the provider did not give it. */
    private Explanation explanation;

    /** Creates a completion for {@link CompletionQueue#poll} to fill. */
    public WorkCompletion() {
    }

    /**
     * Creates reusable completions for {@link CompletionQueue#poll}.
     *
     * @param length of the array
     * @return an array without nulls
     */
    public static WorkCompletion[] array(int length) {
        WorkCompletion[] completions = new WorkCompletion[length];
        for (int i = 0; i < length; i++) {
            completions[i] = new WorkCompletion();
        }
        return completions;
    }

    /**
     * Sets every field; called by providers.
     *
     * @param wrId            opaque 64 bits of the work request
     * @param status          outcome
     * @param opcode          what was completed
     * @param vendorError     detail of a failure; 0 for none
     * @param byteLength      bytes received, read, or 8 for atomics; u32
     * @param immediateOrRkey immediate data, or the key that the peer invalidated
     * @param qpNum           number of the local queue pair
     * @param sourceQp        number of the sending queue pair (datagrams only)
     * @param flags           bits of {@link WcFlags}
     */
    public void set(long wrId, WcStatus status, WcOpcode opcode, int vendorError, int byteLength, int immediateOrRkey, int qpNum,
                    int sourceQp, int flags) {
        this.wrId = wrId;
        this.status = status;
        this.opcode = opcode;
        this.vendorError = vendorError;
        this.byteLength = byteLength;
        this.immediateOrRkey = immediateOrRkey;
        this.qpNum = qpNum;
        this.sourceQp = sourceQp;
        this.flags = flags;
        slid = 0;
        sl = 0;
        dlidPathBits = 0;
        explanation = null;
    }

    /**
     * Adds the local route of a received datagram; called by providers, after {@link #set}.
     *
     * @param senderLid LID of the sender, u16
     * @param level     service level, 4 bits
     * @param pathBits  low bits of the LID that it was sent to, 0..127
     */
    public void setLocalRoute(int senderLid, int level, int pathBits) {
        slid = senderLid;
        sl = level;
        dlidPathBits = pathBits;
    }

    /**
     * Adds to a failed completion why it failed; called by providers that know it, after {@link #set}.
     *
     * @param why null if it is not known
     */
    public void explain(Explanation why) {
        explanation = why;
    }

    /** {@return the opaque 64 bits of the work request} */
    public long wrId() {
        return wrId;
    }

    /** {@return the outcome} */
    public WcStatus status() {
        return status;
    }

    /** {@return whether the work request was executed} */
    public boolean isSuccess() {
        return status == WcStatus.SUCCESS;
    }

    /**
     * Requires that the work request succeeded, for programs that cannot continue otherwise.
     *
     * @return this completion
     * @throws VerbsException EIO, with the completion as text
     */
    public WorkCompletion requireSuccess() {
        if (!isSuccess()) {
            throw new VerbsException(Errno.EIO, "poll_cq", "work request failed: " + this);
        }
        return this;
    }

    /** {@return what was completed} */
    public WcOpcode opcode() {
        return opcode;
    }

    /**
     * {@return the provider-specific detail of a failure, 0 if there is none; on this project's devices the code of a
     * {@link org.softrdma.verbs.reason.Reason}}
     */
    public int vendorError() {
        return vendorError;
    }

    /**
     * Returns why the work request failed. From a device in another process only {@link #vendorError} is known.
     *
     * @return null after success, and if the provider does not say it
     */
    public Explanation explanation() {
        return explanation;
    }

    /** {@return bytes received, read, or 8 for atomics; u32} Undefined for sends and writes. */
    public int byteLength() {
        return byteLength;
    }

    /** {@return the immediate data as the four bytes on the wire, big-endian in this int; meaningful with {@link WcFlags#WITH_IMM}} */
    public int immediate() {
        return immediateOrRkey;
    }

    /** {@return the rkey that the peer's SEND invalidated; meaningful with {@link WcFlags#WITH_INV}} */
    public int invalidatedRkey() {
        return immediateOrRkey;
    }

    /** {@return the number of the local queue pair} */
    public int qpNum() {
        return qpNum;
    }

    /** {@return the number of the sending queue pair (datagrams only)} */
    public int sourceQp() {
        return sourceQp;
    }

    /** {@return bits of {@link WcFlags}} */
    public int flags() {
        return flags;
    }

    /** {@return LID of the sender of a datagram on an InfiniBand subnet, u16; 0 on Ethernet} */
    public int slid() {
        return slid;
    }

    /** {@return service level of a datagram, 4 bits; on Ethernet the type of its packet, where the provider reports it} */
    public int sl() {
        return sl;
    }

    /** {@return low bits of the LID that a datagram was sent to, 0..127} */
    public int dlidPathBits() {
        return dlidPathBits;
    }

    @Override
    public String toString() {
        return "wr_id " + Long.toUnsignedString(wrId) + " " + status + (isSuccess() ? " " + opcode + ", " + byteLength + " bytes" : "")
            + ", qp 0x" + Integer.toHexString(qpNum) + why();
    }

    private String why() {
        if (explanation != null) {
            return ": " + explanation;
        }
        return isSuccess() || vendorError == 0 ? "" : ", vendor error 0x" + Integer.toHexString(vendorError);
    }
}
