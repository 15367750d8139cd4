// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * One send work request ({@code struct ibv_send_wr}), mutable and reusable: fill it, post it, fill it again. A post call copies everything
 * it needs, so the request may be changed as soon as the call returns; the memory its elements name belongs to the device until the
 * work request has completed (inline data excepted). Not thread-safe.
 *
 * <pre>{@code
 * SendRequest wr = new SendRequest();
 * qp.postSend(wr.write(peerAddress, peerRkey).wrId(7).element(region, 0, 4096).signaled());
 * }</pre>
 */
public final class SendRequest {
    /** Most elements of one request, whatever the device allows. */
    public static final int MAX_ELEMENTS = 32;

    private long wrId;
    private WrOpcode opcode = WrOpcode.SEND;
    private int flags;
    private int immediateOrRkey;
    private long remoteAddress;
    private int rkey;
    private long compareAdd;
    private long swap;
    private int flushPlacement;
    private int flushSelectivity;
    private long flushLength;
    private int bindAccess;
    private long bindLength;
    private AddressHandle addressHandle;
    private int remoteQpn;
    private int remoteQkey;
    private int remoteSrqn;
    private int elements;
    private final long[] addresses = new long[MAX_ELEMENTS];
    private final int[] lengths = new int[MAX_ELEMENTS];
    private final int[] lkeys = new int[MAX_ELEMENTS];
    private final MemorySegment[] inline = new MemorySegment[MAX_ELEMENTS];

    /** Creates a SEND without elements. */
    public SendRequest() {
    }

    /**
     * Makes this a SEND.
     *
     * @return this
     */
    public SendRequest send() {
        return begin(WrOpcode.SEND);
    }

    /**
     * Makes this a SEND with immediate data.
     *
     * @param immediate four bytes, delivered as they are in {@link WorkCompletion#immediate()}
     * @return this
     */
    public SendRequest sendWithImmediate(int immediate) {
        begin(WrOpcode.SEND_WITH_IMM);
        immediateOrRkey = immediate;
        return this;
    }

    /**
     * Makes this a SEND that also invalidates one of the peer's keys.
     *
     * @param peerRkey key of a window, or of a fast-registered region
     * @return this
     */
    public SendRequest sendWithInvalidate(int peerRkey) {
        begin(WrOpcode.SEND_WITH_INV);
        immediateOrRkey = peerRkey;
        return this;
    }

    /**
     * Makes this an RDMA WRITE to the peer's memory.
     *
     * @param remoteAddress address in the peer's region, as its address space names it
     * @param rkey          key of the peer's region or window
     * @return this
     */
    public SendRequest write(long remoteAddress, int rkey) {
        return begin(WrOpcode.RDMA_WRITE).remote(remoteAddress, rkey);
    }

    /**
     * Makes this an RDMA WRITE that also consumes one of the peer's receives.
     *
     * @param remoteAddress address in the peer's region, as its address space names it
     * @param rkey          key of the peer's region or window
     * @param immediate     four bytes, delivered with the receive
     * @return this
     */
    public SendRequest writeWithImmediate(long remoteAddress, int rkey, int immediate) {
        begin(WrOpcode.RDMA_WRITE_WITH_IMM).remote(remoteAddress, rkey);
        immediateOrRkey = immediate;
        return this;
    }

    /**
     * Makes this an RDMA READ from the peer's memory into the elements.
     *
     * @param remoteAddress address in the peer's region, as its address space names it
     * @param rkey          key of the peer's region or window
     * @return this
     */
    public SendRequest read(long remoteAddress, int rkey) {
        return begin(WrOpcode.RDMA_READ).remote(remoteAddress, rkey);
    }

    /**
     * Makes this an atomic compare-and-swap: the old value is stored in the only element, 8 bytes, in host order.
     *
     * @param remoteAddress address of eight aligned bytes
     * @param rkey          key of the peer's region or window
     * @param compare       value that is replaced
     * @param swap          new value
     * @return this
     */
    public SendRequest compareAndSwap(long remoteAddress, int rkey, long compare, long swap) {
        begin(WrOpcode.ATOMIC_CMP_AND_SWP).remote(remoteAddress, rkey);
        compareAdd = compare;
        this.swap = swap;
        return this;
    }

    /**
     * Makes this an atomic fetch-and-add: the old value is stored in the only element, 8 bytes, in host order.
     *
     * @param remoteAddress address of eight aligned bytes
     * @param rkey          key of the peer's region or window
     * @param add           added to the value, modulo 2^64
     * @return this
     */
    public SendRequest fetchAndAdd(long remoteAddress, int rkey, long add) {
        begin(WrOpcode.ATOMIC_FETCH_AND_ADD).remote(remoteAddress, rkey);
        compareAdd = add;
        return this;
    }

    /**
     * Makes this an ATOMIC WRITE: stores the 8 bytes of the only element, or inline data, in one step, and completes after that.
     *
     * @param remoteAddress address of eight aligned bytes
     * @param rkey          key of the peer's region or window
     * @return this
     */
    public SendRequest atomicWrite(long remoteAddress, int rkey) {
        return begin(WrOpcode.ATOMIC_WRITE).remote(remoteAddress, rkey);
    }

    /**
     * Makes this a FLUSH: completes once all earlier writes of this queue pair have reached the placement requested. Without elements.
     *
     * @param remoteAddress first byte that is flushed
     * @param rkey          key of the peer's region or window
     * @param length        bytes, u32; ignored with {@link FlushFlags#REGION}, as is the address
     * @param placement     {@link FlushFlags#GLOBAL}, {@link FlushFlags#PERSISTENT} or both; queue pair and region must allow it
     *     ({@link AccessFlags#FLUSH_GLOBAL}, {@link AccessFlags#FLUSH_PERSISTENT})
     * @param selectivity   {@link FlushFlags#RANGE} or {@link FlushFlags#REGION}
     * @return this
     */
    public SendRequest flush(long remoteAddress, int rkey, int length, int placement, int selectivity) {
        begin(WrOpcode.FLUSH).remote(remoteAddress, rkey);
        flushPlacement = placement;
        flushSelectivity = selectivity;
        flushLength = Integer.toUnsignedLong(length);
        return this;
    }

    /**
     * Makes this an invalidation of a local key.
     *
     * @param localRkey a memory window's, or a fast-registered region's
     * @return this
     */
    public SendRequest localInvalidate(int localRkey) {
        begin(WrOpcode.LOCAL_INV);
        immediateOrRkey = localRkey;
        return this;
    }

    /**
     * Binds a type 2 window to part of a region; the peer may use {@code newRkey} from then on, on this queue pair only.
     *
     * @param newRkey the window's key with a low byte of the caller's choice, see {@link MemoryWindow#nextRkey}
     * @param region  of the window's protection domain, with MW_BIND
     * @param address first byte of the window, as the region's address space names it
     * @param length  bytes, at least 1
     * @param access  REMOTE_* bits of {@link AccessFlags}; with ZERO_BASED, the window's addresses start at 0
     * @return this
     */
    public SendRequest bindWindow(int newRkey, MemoryRegion region, long address, long length, int access) {
        return bindWindow(newRkey, region.lkey(), address, length, access);
    }

    /**
     * Binds a type 2 window, for front ends that know regions by their keys.
     *
     * @param newRkey the window's key with a low byte of the caller's choice
     * @param lkey    of the region; 0 with length 0 ends the binding (type 1 only)
     * @param address first byte of the window
     * @param length  bytes
     * @param access  REMOTE_* bits of {@link AccessFlags}, and ZERO_BASED
     * @return this
     */
    public SendRequest bindWindow(int newRkey, int lkey, long address, long length, int access) {
        begin(WrOpcode.BIND_MW);
        rkey = newRkey;
        bindAccess = access;
        bindLength = length;
        return element(address, 0, lkey);
    }

    /**
     * Clears the request and sets its opcode. For front ends that use opcodes; others use the named forms.
     *
     * @param opcode of the request
     * @return this
     */
    public SendRequest begin(WrOpcode opcode) {
        this.opcode = opcode;
        wrId = 0;
        flags = 0;
        immediateOrRkey = 0;
        remoteAddress = 0;
        rkey = 0;
        compareAdd = 0;
        swap = 0;
        flushPlacement = 0;
        flushSelectivity = 0;
        flushLength = 0;
        bindAccess = 0;
        bindLength = 0;
        addressHandle = null;
        remoteSrqn = 0;
        elements = 0;
        return this;
    }

    /**
     * Sets what the completion returns.
     *
     * @param wrId opaque 64 bits
     * @return this
     */
    public SendRequest wrId(long wrId) {
        this.wrId = wrId;
        return this;
    }

    /**
     * Requests a completion of success; failures are completed in any case.
     *
     * @return this
     */
    public SendRequest signaled() {
        return flags(flags | SendFlags.SIGNALED);
    }

    /**
     * Begins after all earlier READs and atomics of the queue pair are complete.
     *
     * @return this
     */
    public SendRequest fence() {
        return flags(flags | SendFlags.FENCE);
    }

    /**
     * Wakes a peer whose completion queue is armed for solicited events only.
     *
     * @return this
     */
    public SendRequest solicited() {
        return flags(flags | SendFlags.SOLICITED);
    }

    /**
     * Copies the elements' data during the post call.
     *
     * @return this
     */
    public SendRequest inline() {
        return flags(flags | SendFlags.INLINE);
    }

    /**
     * Sets all flags at once.
     *
     * @param flags bits of {@link SendFlags}
     * @return this
     */
    public SendRequest flags(int flags) {
        this.flags = flags;
        return this;
    }

    /**
     * Sets the destination of a datagram.
     *
     * @param handle path to the peer
     * @param qpn    queue pair number of the peer, 24 bits; 0xffffff for a group
     * @param qkey   Q_Key of the peer, u32
     * @return this
     */
    public SendRequest to(AddressHandle handle, int qpn, int qkey) {
        addressHandle = handle;
        remoteQpn = qpn;
        remoteQkey = qkey;
        return this;
    }

    /**
     * Sets the shared receive queue of the target's domain that an XRC request of any opcode is for: a WRITE, READ or atomic is checked
     * against that queue's protection domain.
     *
     * @param srqn {@link SharedReceiveQueue#number} at the peer, 24 bits
     * @return this
     */
    public SendRequest toSrq(int srqn) {
        remoteSrqn = srqn;
        return this;
    }

    /**
     * Adds one scatter/gather element.
     *
     * @param region of the queue pair's protection domain
     * @param offset first byte in the region
     * @param length bytes, u32
     * @return this
     * @throws VerbsException EINVAL: more than {@link #MAX_ELEMENTS}
     */
    public SendRequest element(MemoryRegion region, long offset, int length) {
        return element(region.address() + offset, length, region.lkey());
    }

    /**
     * Adds one scatter/gather element.
     *
     * @param address address in the region's address space
     * @param length  bytes, u32
     * @param lkey    key of the region
     * @return this
     * @throws VerbsException EINVAL: more than {@link #MAX_ELEMENTS}
     */
    public SendRequest element(long address, int length, int lkey) {
        if (elements == MAX_ELEMENTS) {
            throw new VerbsException(Errno.EINVAL, "post_send", "a request has at most " + MAX_ELEMENTS + " elements");
        }
        inline[elements] = null;
        addresses[elements] = address;
        lengths[elements] = length;
        lkeys[elements++] = lkey;
        return this;
    }

    /**
     * Adds memory that need not be registered: sets INLINE, and the post call copies the memory.
     *
     * @param data of any arena, or of the heap
     * @return this
     */
    public SendRequest inlineData(MemorySegment data) {
        return inlineData(data, 0, Math.toIntExact(data.byteSize()));
    }

    /**
     * Adds a part of memory that need not be registered: sets INLINE, and the post call copies the part.
     *
     * @param data   of any arena, or of the heap
     * @param offset position of the part in {@code data}, bytes
     * @param bytes  length of the part, at least 0
     * @return this
     */
    public SendRequest inlineData(MemorySegment data, long offset, int bytes) {
        Objects.checkFromIndexSize(offset, bytes, data.byteSize());
        element(offset, bytes, 0);
        inline[elements - 1] = data;
        return inline();
    }

    private SendRequest remote(long address, int key) {
        remoteAddress = address;
        rkey = key;
        return this;
    }

    /** {@return the opaque 64 bits that the completion returns} */
    public long wrId() {
        return wrId;
    }

    /** {@return the operation} */
    public WrOpcode opcode() {
        return opcode;
    }

    /** {@return bits of {@link SendFlags}} */
    public int flags() {
        return flags;
    }

    /** {@return the immediate data, four bytes as they are} */
    public int immediate() {
        return immediateOrRkey;
    }

    /** {@return the key that a SEND_WITH_INV or LOCAL_INV invalidates} */
    public int invalidateRkey() {
        return immediateOrRkey;
    }

    /** {@return the address in the peer's memory} */
    public long remoteAddress() {
        return remoteAddress;
    }

    /** {@return the key of the peer's memory; of a BIND_MW the window's new key} */
    public int rkey() {
        return rkey;
    }

    /** {@return the value that {@link #compareAndSwap} compares with, or that {@link #fetchAndAdd} adds} */
    public long compareAdd() {
        return compareAdd;
    }

    /** {@return the value that {@link #compareAndSwap} stores} */
    public long swap() {
        return swap;
    }

    /** {@return the placement of a FLUSH: {@link FlushFlags#GLOBAL}, {@link FlushFlags#PERSISTENT} or both} */
    public int flushPlacement() {
        return flushPlacement;
    }

    /** {@return the selectivity of a FLUSH: {@link FlushFlags#RANGE} or {@link FlushFlags#REGION}} */
    public int flushSelectivity() {
        return flushSelectivity;
    }

    /** {@return the length of a FLUSH in bytes, u32} */
    public long flushLength() {
        return flushLength;
    }

    /** {@return rights of the peer to the window of a BIND_MW: bits of {@link AccessFlags}} */
    public int bindAccess() {
        return bindAccess;
    }

    /** {@return the length of the window of a BIND_MW in bytes; 0 ends the binding} */
    public long bindLength() {
        return bindLength;
    }

    /** {@return the path of a datagram} */
    public AddressHandle addressHandle() {
        return addressHandle;
    }

    /** {@return the queue pair number that a datagram is for, 24 bits} */
    public int remoteQpn() {
        return remoteQpn;
    }

    /** {@return the Q_Key of a datagram, u32} */
    public int remoteQkey() {
        return remoteQkey;
    }

    /** {@return the number of the shared receive queue that an XRC request is for, 24 bits} */
    public int remoteSrqn() {
        return remoteSrqn;
    }

    /** {@return the number of scatter/gather elements} */
    public int elements() {
        return elements;
    }

    /**
     * Reads the address of an element.
     *
     * @param element from 0
     * @return the address, or the offset in inline data
     */
    public long address(int element) {
        return addresses[element];
    }

    /**
     * Reads the length of an element.
     *
     * @param element from 0
     * @return bytes, u32
     */
    public int length(int element) {
        return lengths[element];
    }

    /**
     * Reads the key of an element.
     *
     * @param element from 0
     * @return the lkey; 0 for inline data
     */
    public int lkey(int element) {
        return lkeys[element];
    }

    /**
     * Reads the unregistered memory of an element. {@link #address} is the offset of the element's data in it.
     *
     * @param element from 0
     * @return null if {@link #inlineData(MemorySegment)} did not add it
     */
    public MemorySegment inlineData(int element) {
        return inline[element];
    }

    /** Lists the fields that the opcode uses by the C structure's names, then elements and flags. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("wr_id ").append(Long.toUnsignedString(wrId)).append(' ').append(opcode);
        switch (opcode) {
            case SEND_WITH_INV, LOCAL_INV -> text.append(", invalidate_rkey 0x").append(Integer.toHexString(immediateOrRkey));
            case BIND_MW -> text.append(", rkey 0x").append(Integer.toHexString(rkey)).append(", length ")
                .append(Long.toUnsignedString(bindLength)).append(", access ").append(AccessFlags.names(bindAccess));
            case RDMA_WRITE, RDMA_WRITE_WITH_IMM, RDMA_READ, ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD, ATOMIC_WRITE, FLUSH ->
                text.append(", remote_addr 0x").append(Long.toHexString(remoteAddress)).append(", rkey 0x")
                    .append(Integer.toHexString(rkey));
            default -> {
            }
        }
        switch (opcode) {
            case SEND_WITH_IMM, RDMA_WRITE_WITH_IMM -> text.append(", imm_data 0x").append(Integer.toHexString(immediateOrRkey));
            case ATOMIC_CMP_AND_SWP -> text.append(", compare 0x").append(Long.toHexString(compareAdd)).append(", swap 0x")
                .append(Long.toHexString(swap));
            case ATOMIC_FETCH_AND_ADD -> text.append(", add 0x").append(Long.toHexString(compareAdd));
            case FLUSH -> text.append(", length ").append(flushLength).append(", placement ").append(flushPlacement)
                .append(", selectivity ").append(flushSelectivity);
            default -> {
            }
        }
        if (addressHandle != null) {
            text.append(", ah {").append(addressHandle.vector()).append("}, remote_qpn 0x").append(Integer.toHexString(remoteQpn))
                .append(", remote_qkey 0x").append(Integer.toHexString(remoteQkey));
        }
        if (remoteSrqn != 0) {
            text.append(", remote_srqn 0x").append(Integer.toHexString(remoteSrqn));
        }
        for (int i = 0; i < elements; i++) {
            if (inline[i] != null) {
                text.append(", sge inline ").append(lengths[i]);
            } else {
                showElement(text, addresses[i], lengths[i], lkeys[i]);
            }
        }
        return flags == 0 ? text.toString() : text.append(", ").append(SendFlags.names(flags)).toString();
    }

    /** Appends an element as an address range and its key. */
    static void showElement(StringBuilder text, long address, int length, int lkey) {
        text.append(", sge 0x").append(Long.toHexString(address)).append('+').append(Integer.toUnsignedString(length)).append(" lkey 0x")
            .append(Integer.toHexString(lkey));
    }
}
