// SPDX-License-Identifier: Apache-2.0
/** Storage behind a namespace: {@link BlockStore}, in a file or in memory. */
package org.softrdma.storage.nvme.store;
