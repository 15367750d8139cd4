// SPDX-License-Identifier: Apache-2.0
/**
 * Remote procedure calls over RDMA connections with RPC-over-RDMA version 1 (RFC 8166, 8167, 8797), on the connection manager and the verbs
 * of any provider. RPC messages are bytes here: programs and their encoding are the business of those who use this package.
 *
 * <p>Reading order: {@link RpcRdmaServer}, {@link RpcService}, {@link RpcExchange}, {@code ServerConnection}; {@link RpcRdmaClient},
 * {@link RpcRequest}, {@code ClientConnector}. The protocol is in {@code org.softrdma.rpcrdma.machine}.
 */
package org.softrdma.rpcrdma;
