// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** Receives shared by several queue pairs. */
public interface SharedReceiveQueue extends AutoCloseable {
    ProtectionDomain pd();

    void postReceive(ReceiveRequest request);

    /** Arms one SRQ_LIMIT_REACHED event for when fewer than {@code limit} receives are left; 0 disarms. */
    void modifyLimit(int limit);

    @Override
    void close();
}
