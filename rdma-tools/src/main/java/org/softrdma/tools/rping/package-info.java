// SPDX-License-Identifier: Apache-2.0
/**
 * rping: a client's text travels by RDMA READ to the server and by RDMA WRITE back. Messages, states and the order of what is posted are
 * those of librdmacm's rping, so that either end can be that one.
 */
package org.softrdma.tools.rping;
