// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import java.lang.foreign.MemorySegment;

/**
 * Checked view of one RDMA_VERBS_IOCTL: header and attributes, which the caller has copied out of the program's memory. After a parse that
 * succeeds no accessor reaches beyond the copy. Reused for each call; allocates nothing.
 *
 * <p>The checks and their errors are those of {@code ib_uverbs_ioctl} and {@code uverbs_set_attr} in the kernel. Attributes that the method
 * does not know are ignored unless they are mandatory: {@link #refusal}.
 */
public final class IoctlBundle {
    /** Bytes of header and attributes at most; the kernel's bound is a page. */
    public static final int MAX_BYTES = 4096;
    /** Attributes at most. */
    public static final int MAX_ATTRIBUTES = (MAX_BYTES - IoctlHeader.BYTES) / IoctlAttribute.BYTES;
    /** Errno of a call that contradicts itself. */
    public static final int EINVAL = 22;
    /** Errno of a call for something that does not exist here: the library tries the legacy command instead. */
    public static final int EPROTONOSUPPORT = 93;

    /** Attributes of a method have numbers below this one, in the namespace of the core as in that of drivers. */
    private static final int NAMESPACE_SIZE = 32;
    private static final int DRIVER_NAMESPACE = UverbsAttribute.UHW_IN;

    private MemorySegment copy = MemorySegment.NULL;
    private int count;
    private int errno;

    /** Makes a bundle without a call. */
    public IoctlBundle() {
    }

    /**
     * Set of attributes, for {@link #refusal}.
     *
     * @param ids attribute numbers of one method, {@link UverbsAttribute#UHW_IN} and {@link UverbsAttribute#UHW_OUT} included
     * @return the set
     */
    public static long known(int... ids) {
        long set = 0;
        for (int id : ids) {
            long bit = bit(id);
            if (bit == 0) {
                throw new IllegalArgumentException("no attribute of a method: " + id);
            }
            set |= bit;
        }
        return set;
    }

    private static long bit(int id) {
        if (id >= 0 && id < NAMESPACE_SIZE) {
            return 1L << id;
        }
        int driver = id - DRIVER_NAMESPACE;
        return driver >= 0 && driver < NAMESPACE_SIZE ? 1L << NAMESPACE_SIZE + driver : 0;
    }

    /**
     * Parses a call.
     *
     * @param copy private copy of the argument, which the program cannot change
     * @param bytes bytes of it that are valid, from offset 0: at least what {@link IoctlHeader#length} says
     * @return false if the call is malformed; {@link #errno} then has the answer
     */
    public boolean parse(MemorySegment copy, long bytes) {
        count = 0;
        errno = EINVAL;
        if (bytes < IoctlHeader.BYTES || bytes > copy.byteSize()) {
            return false;
        }
        int length = IoctlHeader.length(copy, 0);
        int attributes = IoctlHeader.numAttrs(copy, 0);
        if (length > MAX_BYTES || length > bytes || length != IoctlHeader.BYTES + attributes * IoctlAttribute.BYTES) {
            return false;
        }
        if (IoctlHeader.reserved1(copy, 0) != 0 || IoctlHeader.reserved2(copy, 0) != 0) {
            errno = EPROTONOSUPPORT;
            return false;
        }
        this.copy = copy;
        count = attributes;
        errno = 0;
        return true;
    }

    /** Error of the last parse: 0, {@link #EINVAL} or {@link #EPROTONOSUPPORT}. */
    public int errno() {
        return errno;
    }

    /**
     * Checks the attributes against those that the method knows.
     *
     * @param known set made by {@link #known}
     * @return 0, {@link #EPROTONOSUPPORT} if a mandatory attribute is not known, {@link #EINVAL} if a known one is there twice
     */
    public int refusal(long known) {
        long seen = 0;
        for (int i = 0; i < count; i++) {
            long bit = bit(id(i)) & known;
            if (bit == 0 && (flags(i) & IoctlAttribute.MANDATORY) != 0) {
                return EPROTONOSUPPORT;
            }
            if ((seen & bit) != 0) {
                return EINVAL;
            }
            seen |= bit;
        }
        return 0;
    }

    /** Object, {@link UverbsObject}. */
    public int object() {
        return IoctlHeader.objectId(copy, 0);
    }

    /** Method of the object, {@link UverbsMethod}. */
    public int method() {
        return IoctlHeader.methodId(copy, 0);
    }

    /** Driver that the library expects. */
    public int driverId() {
        return IoctlHeader.driverId(copy, 0);
    }

    /** Number of attributes, 0 to {@link #MAX_ATTRIBUTES}; 0 after a failed parse. */
    public int count() {
        return count;
    }

    /**
     * Finds an attribute.
     *
     * @return its index, or -1 if the call does not have it
     */
    public int indexOf(int attributeId) {
        for (int i = 0; i < count; i++) {
            if (id(i) == attributeId) {
                return i;
            }
        }
        return -1;
    }

    /** Number of the attribute, {@link UverbsAttribute}. */
    public int id(int index) {
        return IoctlAttribute.attrId(copy, attributeOffset(index));
    }

    /** Bytes of its data or of its room for output. */
    public int len(int index) {
        return IoctlAttribute.len(copy, attributeOffset(index));
    }

    /** Flags, {@link IoctlAttribute#MANDATORY} among them. */
    public int flags(int index) {
        return IoctlAttribute.flags(copy, attributeOffset(index));
    }

    /** Reserved bits, 0 in a well-formed call; the number of an enumeration's element in their low byte. */
    public int elementId(int index) {
        return IoctlAttribute.elementId(copy, attributeOffset(index));
    }

    /** Value, handle, descriptor or address. */
    public long data(int index) {
        return IoctlAttribute.data(copy, attributeOffset(index));
    }

    /**
     * Place of an attribute: in the copy, and likewise in the program's memory from the ioctl's argument on.
     *
     * @param index 0 to {@link #count} - 1
     * @return offset in bytes
     */
    public int attributeOffset(int index) {
        if (index < 0 || index >= count) {
            throw new IndexOutOfBoundsException("attribute " + index + " of " + count);
        }
        return IoctlHeader.BYTES + index * IoctlAttribute.BYTES;
    }
}
