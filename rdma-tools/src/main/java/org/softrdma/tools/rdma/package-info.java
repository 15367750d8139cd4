// SPDX-License-Identifier: Apache-2.0
/**
 * The {@code rdma} command of iproute2 for the links and devices of {@link org.softrdma.host.config.LinkStore}: words may be
 * abbreviated, texts and exit codes are the original's. Source: iproute2 6.1, rdma(8), rdma-link(8), rdma-dev(8).
 */
package org.softrdma.tools.rdma;
