// SPDX-License-Identifier: Apache-2.0
/**
 * The commands for NVMe over Fabrics: the target {@link org.softrdma.tools.nvme.NvmeTool}, and the host
 * {@link org.softrdma.tools.nvme.NvmeReadTool}.
 */
package org.softrdma.tools.nvme;
