// SPDX-License-Identifier: Apache-2.0
/**
 * The commands of rdma-core, iproute2, infiniband-diags, perftest and qperf over the verbs API: same options, same output, same exit codes.
 *
 * <p>Reading order: {@link org.softrdma.tools.Softrdma} is the main class, {@code Tools} the table of all tools. Each tool has a package or
 * a class of its own, and {@code cli} is common to all.
 */
package org.softrdma.tools;
