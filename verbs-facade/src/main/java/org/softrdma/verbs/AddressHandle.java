// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/**
 * A resolved destination of datagrams. Any thread. Posting a work request takes what it needs along, so a handle may be closed before
 * the datagrams sent by it are complete.
 */
public interface AddressHandle extends AutoCloseable {
    ProtectionDomain pd();

    AddressVector vector();

    @Override
    void close();
}
