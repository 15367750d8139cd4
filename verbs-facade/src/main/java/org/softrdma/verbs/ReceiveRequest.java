// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** One receive work request ({@code struct ibv_recv_wr}), mutable and reusable like {@link SendRequest}. Not thread-safe. */
public final class ReceiveRequest {
    private long wrId;
    private int elements;
    private final long[] addresses = new long[SendRequest.MAX_ELEMENTS];
    private final int[] lengths = new int[SendRequest.MAX_ELEMENTS];
    private final int[] lkeys = new int[SendRequest.MAX_ELEMENTS];

    /** Creates a request without elements. */
    public ReceiveRequest() {
    }

    /**
     * Clears the request and sets what its completion returns.
     *
     * @param wrId opaque 64 bits
     * @return this
     */
    public ReceiveRequest begin(long wrId) {
        this.wrId = wrId;
        elements = 0;
        return this;
    }

    /**
     * Adds one scatter element.
     *
     * @param region with LOCAL_WRITE
     * @param offset first byte in the region
     * @param length bytes, u32
     * @return this
     * @throws VerbsException EINVAL: more than {@link SendRequest#MAX_ELEMENTS}
     */
    public ReceiveRequest element(MemoryRegion region, long offset, int length) {
        return element(region.address() + offset, length, region.lkey());
    }

    /**
     * Adds one scatter element.
     *
     * @param address address in the region's address space
     * @param length  bytes, u32
     * @param lkey    key of the region
     * @return this
     * @throws VerbsException EINVAL: more than {@link SendRequest#MAX_ELEMENTS}
     */
    public ReceiveRequest element(long address, int length, int lkey) {
        if (elements == SendRequest.MAX_ELEMENTS) {
            throw new VerbsException(Errno.EINVAL, "post_recv", "a request has at most " + SendRequest.MAX_ELEMENTS + " elements");
        }
        addresses[elements] = address;
        lengths[elements] = length;
        lkeys[elements++] = lkey;
        return this;
    }

    /** {@return the opaque 64 bits that the completion returns} */
    public long wrId() {
        return wrId;
    }

    /** {@return the number of scatter elements} */
    public int elements() {
        return elements;
    }

    /**
     * Reads the address of an element.
     *
     * @param element from 0
     * @return the address
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
     * @return the lkey
     */
    public int lkey(int element) {
        return lkeys[element];
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("wr_id ").append(Long.toUnsignedString(wrId));
        for (int i = 0; i < elements; i++) {
            SendRequest.showElement(text, addresses[i], lengths[i], lkeys[i]);
        }
        return text.toString();
    }
}
