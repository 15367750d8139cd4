// SPDX-License-Identifier: Apache-2.0
/**
 * The ABI of {@code /dev/infiniband/rdma_cm}, version 4. Source: {@code rdma_user_cm.h} of {@code linux-libc-dev}.
 *
 * <p>Reading order: {@link org.softrdma.abi.ucm.UcmCommand}, the commands and which body and response each has;
 * {@link org.softrdma.abi.ucm.UcmCreateId}, {@link org.softrdma.abi.ucm.UcmResolveAddress}, {@link org.softrdma.abi.ucm.UcmConnect} and
 * {@link org.softrdma.abi.ucm.UcmAccept}, the life of an identifier; {@link org.softrdma.abi.ucm.UcmEvent} and
 * {@link org.softrdma.abi.ucm.UcmConnectionParameters}; {@link org.softrdma.abi.ucm.UcmSockaddr}, the forms of addresses.
 */
package org.softrdma.abi.ucm;
