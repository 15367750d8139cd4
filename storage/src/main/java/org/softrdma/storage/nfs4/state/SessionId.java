// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4.state;

/** Name of a session, 16 bytes. */
public record SessionId(long high, long low) {
}
