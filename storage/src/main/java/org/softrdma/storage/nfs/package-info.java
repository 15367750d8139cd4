// SPDX-License-Identifier: Apache-2.0
/** NFS version 3 (RFC 1813): the procedures on an exported directory. */
package org.softrdma.storage.nfs;
