// SPDX-License-Identifier: Apache-2.0
/** External data representation (RFC 4506): cursors over messages. */
package org.softrdma.storage.xdr;
