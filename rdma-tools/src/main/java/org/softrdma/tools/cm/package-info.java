// SPDX-License-Identifier: Apache-2.0
/**
 * The examples of librdmacm: ucmatose, udaddy, mckey, cmtime, rdma_client and rdma_server. They exchange and print what the originals do,
 * so that either end can be an original.
 *
 * <p>Reading order: {@link RdmaClient} is the shortest; {@link UcMatose} parses a command line and {@link UcMatoseRun} is its test, on
 * {@link ClientServerRun}, {@link CmTestRun} and {@link TestNode}; {@link UdAddyRun} and {@link McKeyRun} do the same with datagrams;
 * {@link CmTimeClient} measures.
 */
package org.softrdma.tools.cm;
