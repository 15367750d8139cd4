// SPDX-License-Identifier: Apache-2.0
/**
 * Rings of work requests and completions that librxe and libsiw share with the kernel. Sources: {@code rdma_user_rxe.h},
 * {@code ib_user_verbs.h} and {@code siw-abi.h} of {@code linux-libc-dev}.
 *
 * <p>Reading order: {@link org.softrdma.abi.rings.RxeQueueHeader}, how librxe's rings are kept; the records in them,
 * {@link org.softrdma.abi.rings.RxeSendRecord}, {@link org.softrdma.abi.rings.RxeReceiveRecord} and
 * {@link org.softrdma.abi.rings.RxeCompletion}; then libsiw's {@link org.softrdma.abi.rings.SiwSendRecord},
 * {@link org.softrdma.abi.rings.SiwReceiveRecord}, {@link org.softrdma.abi.rings.SiwCompletion} and
 * {@link org.softrdma.abi.rings.SiwCqControl}.
 *
 * <p>The program can write all of it at any time: read a field once, then check it, then use it. Accessors of the words that order memory
 * (indices, flags) need them at their natural alignment in a segment of native memory.
 */
package org.softrdma.abi.rings;
