// SPDX-License-Identifier: Apache-2.0
/**
 * RPC-over-RDMA version 1 without clock, thread, socket or device: messages and completions in, work requests out.
 *
 * <p>Reading order: {@link ResponderMachine} is the server's end of a connection and {@link RequesterMachine} the client's;
 * {@link CallAssembly} plans how a call that is partly in the client's memory becomes one message, {@link Placement} how the parts of a
 * reply go there; {@link WorkId} names work requests; {@link SendQueue} keeps their number within the queue.
 */
package org.softrdma.rpcrdma.machine;
