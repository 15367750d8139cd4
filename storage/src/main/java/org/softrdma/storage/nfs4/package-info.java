// SPDX-License-Identifier: Apache-2.0
/**
 * NFS version 4.1 (RFC 8881) on an exported directory. A call is a list of operations on a current file. In this order:
 * {@link org.softrdma.storage.nfs4.Nfs4Program}, {@link org.softrdma.storage.nfs4.Compound}, {@link org.softrdma.storage.nfs4.Call}, and
 * the operations by theme.
 */
package org.softrdma.storage.nfs4;
