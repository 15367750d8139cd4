// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

/** Answers of the netlink family RDMA. Called by the supervisor's threads. */
@FunctionalInterface
public interface NetlinkAnswers {
    /**
     * Answers a datagram of a program.
     *
     * @return the datagram to send back; null for none
     */
    byte[] answer(byte[] request);
}
