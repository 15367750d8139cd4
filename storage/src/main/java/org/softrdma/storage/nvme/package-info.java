// SPDX-License-Identifier: Apache-2.0
/**
 * An NVMe over Fabrics target for RDMA, for tests and teaching: one namespace, in a file or in memory.
 *
 * <p>Reading order: {@link NvmeOptions}, {@link NvmeTarget}, {@link TargetQueue}.
 */
package org.softrdma.storage.nvme;
