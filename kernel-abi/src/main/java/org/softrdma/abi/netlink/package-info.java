// SPDX-License-Identifier: Apache-2.0
/**
 * Messages of the netlink family RDMA, by which libraries find devices and their drivers. Source: {@code linux/netlink.h} and
 * {@code rdma/rdma_netlink.h}.
 *
 * <p>Reading order: {@link org.softrdma.abi.netlink.Nldev}, the numbers; {@link org.softrdma.abi.netlink.NldevRequest}, one request;
 * {@link org.softrdma.abi.netlink.NldevReply}, what answers it.
 */
package org.softrdma.abi.netlink;
