// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/**
 * A resolved destination of datagrams. Any thread. Posting a work request copies the destination, so a handle may be closed before
 * the datagrams sent with it are complete.
 */
public interface AddressHandle extends AutoCloseable {
    /** {@return the protection domain} */
    ProtectionDomain pd();

    /** {@return the destination} */
    AddressVector vector();

    @Override
    void close();
}
