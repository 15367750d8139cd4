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

    /** Clears the request and sets its id. */
    public ReceiveRequest begin(long wrId) {
        this.wrId = wrId;
        elements = 0;
        return this;
    }

    /** Adds {@code length} bytes of {@code region}, from {@code offset}. */
    public ReceiveRequest element(MemoryRegion region, long offset, int length) {
        return element(region.address() + offset, length, region.lkey());
    }

    /**
     * Adds one scatter element.
     *
     * @param address address in the region's address space
     * @param length  bytes, u32
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

    public long wrId() {
        return wrId;
    }

    public int elements() {
        return elements;
    }

    public long address(int element) {
        return addresses[element];
    }

    /** Length of an element in bytes, u32. */
    public int length(int element) {
        return lengths[element];
    }

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
