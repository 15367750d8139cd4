// SPDX-License-Identifier: Apache-2.0
/**
 * The commands people know from rdma-core and iproute2, over the verbs API: same options, same output, same exit codes.
 * {@link org.softrdma.tools.Softrdma} is the one entry; each tool lives in a package or class of its own.
 */
package org.softrdma.tools;
