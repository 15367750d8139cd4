// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** A resolved destination of datagrams. */
public interface AddressHandle extends AutoCloseable {
    ProtectionDomain pd();

    AddressVector vector();

    @Override
    void close();
}
