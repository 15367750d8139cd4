// SPDX-License-Identifier: Apache-2.0

/**
 * The API on the system's {@code libibverbs.so.1}, and connections by address with its {@code librdmacm.so.1}. Begin with
 * {@link org.softrdma.libibverbs.LibibverbsProvider} and {@code NativeDevice}; {@code NativeObject} says how objects of C end,
 * {@code NativeQueuePair} and {@code NativeCompletionQueue} are the data path, {@code NativeCmId} is an identifier of connections;
 * {@code Libibverbs} and {@code Librdmacm} declare the functions.
 */
package org.softrdma.libibverbs;
