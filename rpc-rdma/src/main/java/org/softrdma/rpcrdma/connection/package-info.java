// SPDX-License-Identifier: Apache-2.0
/**
 * A connection for a protocol of messages and RDMA READs and WRITEs: its queue pair and memory, the thread that processes its
 * completions, and the listening end. Used by both ends of RPC-over-RDMA, and by other protocols of that shape.
 *
 * <p>Reading order: {@link MessageQueuePair}, {@link CompletionThread}, {@link ConnectionListener}.
 */
package org.softrdma.rpcrdma.connection;
