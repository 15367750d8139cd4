// SPDX-License-Identifier: Apache-2.0
/**
 * Bytes of NVMe over RDMA, little-endian: capsules, data descriptors, private data of connections, and the structures that a host fetches.
 *
 * <p>Reading order: {@link QueueRequest}, {@link Command}, {@link FabricsCommand}, {@link ConnectData}, {@link DataDescriptor},
 * {@link Response}, {@link NvmeStatus}, {@link ControllerProperty}, {@link IdentifyController}, {@link IdentifyNamespace}.
 */
package org.softrdma.storage.nvme.wire;
