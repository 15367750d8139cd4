// SPDX-License-Identifier: Apache-2.0
/** The command for the NVMe target: {@link org.softrdma.tools.nvme.NvmeTool}. */
package org.softrdma.tools.nvme;
