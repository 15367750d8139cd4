// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** A field of a C structure, which begins at an address of some memory. */
public sealed interface Field permits U8, U16, U32, U64, Pointer, BigEndianU32, BigEndianU64, Block {
    /** Bytes from the beginning of the structure. */
    int offset();

    /** Width in bytes; 0 for a structure or an array. */
    int bytes();
}
