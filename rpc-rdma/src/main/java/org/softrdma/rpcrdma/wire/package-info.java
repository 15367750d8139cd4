// SPDX-License-Identifier: Apache-2.0
/**
 * Bytes of RPC-over-RDMA version 1: static flyweights on big-endian buffers, and the chunk lists of a header.
 *
 * <p>Reading order: {@link TransportHeader}, {@link Segment}, {@link ChunkLists}, {@link HeaderFault}, {@link PrivateData}.
 */
package org.softrdma.rpcrdma.wire;
