// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rping;

/** States of an end; their numbers appear in messages. */
enum RPingState {
    IDLE(1),
    CONNECT_REQUEST(2),
    ADDR_RESOLVED(3),
    ROUTE_RESOLVED(4),
    CONNECTED(5),
    RDMA_READ_ADV(6),
    RDMA_READ_COMPLETE(7),
    RDMA_WRITE_ADV(8),
    RDMA_WRITE_COMPLETE(9),
    DISCONNECTED(10),
    ERROR(11);

    private final int number;

    RPingState(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }
}
