// SPDX-License-Identifier: Apache-2.0
/**
 * A small NVMe over Fabrics host for RDMA, which reads: one I/O queue and one command at a time. It is for tests and teaching, with any
 * target.
 *
 * <p>Reading order: {@link NvmeHost}, {@link HostQueue}.
 */
package org.softrdma.storage.nvme.host;
