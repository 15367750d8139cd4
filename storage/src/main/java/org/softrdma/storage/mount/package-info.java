// SPDX-License-Identifier: Apache-2.0
/** The MOUNT protocol, version 3 (RFC 1813, appendix I), and its listener on TCP. */
package org.softrdma.storage.mount;
