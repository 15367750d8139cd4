// SPDX-License-Identifier: Apache-2.0
/**
 * The examples of librdmacm: ucmatose, udaddy, mckey, cmtime, rdma_client and rdma_server. What they exchange and print is the originals',
 * so that either end can be one of those.
 */
package org.softrdma.tools.cm;
