// SPDX-License-Identifier: Apache-2.0
/**
 * The ABI of {@code /dev/infiniband/uverbsN}, ABI version 6. Sources: {@code rdma_user_ioctl_cmds.h}, {@code ib_user_ioctl_cmds.h},
 * {@code ib_user_ioctl_verbs.h}, {@code ib_user_verbs.h}, {@code rdma_user_rxe.h} and {@code siw-abi.h} of {@code linux-libc-dev}.
 *
 * <p>Reading order: {@link org.softrdma.abi.uverbs.IoctlHeader} and {@link org.softrdma.abi.uverbs.IoctlAttribute}, the form of a call;
 * {@link org.softrdma.abi.uverbs.IoctlBundle}, its checks; {@link org.softrdma.abi.uverbs.UverbsObject},
 * {@link org.softrdma.abi.uverbs.UverbsMethod} and {@link org.softrdma.abi.uverbs.UverbsAttribute}, the numbers;
 * {@link org.softrdma.abi.uverbs.UverbsCommand}, the commands of the older write interface that INVOKE_WRITE carries. The classes named
 * after a command or a response have its fields. {@code Rxe…} and {@code Siw…} are data between kernel driver and library.
 *
 * <p>A flyweight has an offset, a getter and a setter for each field, relative to the record's address in the segment. Unsigned fields of
 * 8 and 16 bits are positive ints; those of 32 and 64 bits keep their bits in an int and a long.
 */
package org.softrdma.abi.uverbs;
