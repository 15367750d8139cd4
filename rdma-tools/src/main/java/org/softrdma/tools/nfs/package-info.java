// SPDX-License-Identifier: Apache-2.0
/** The command for the NFS server: {@link org.softrdma.tools.nfs.NfsTool}. */
package org.softrdma.tools.nfs;
