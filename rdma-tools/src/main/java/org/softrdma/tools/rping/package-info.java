// SPDX-License-Identifier: Apache-2.0
/**
 * rping: the server fetches a client's text by RDMA READ and returns it by RDMA WRITE. Messages, states and the order of work requests are
 * those of librdmacm's rping, so that either end can be the original.
 *
 * <p>Reading order: {@link RPingOptions}, {@link RPingRun} (events), {@link RPingClient}, {@link RPingServer}, {@link RPingEnd} (queue
 * pair and completions), {@link RPingState}.
 */
package org.softrdma.tools.rping;
