// SPDX-License-Identifier: Apache-2.0

/** Remote procedure calls over RDMA connections, with RPC-over-RDMA version 1, over any provider. */
module org.softrdma.rpcrdma {
    requires transitive org.softrdma.verbs;

    exports org.softrdma.rpcrdma;
    exports org.softrdma.rpcrdma.wire;
    exports org.softrdma.rpcrdma.machine;
    exports org.softrdma.rpcrdma.connection;
}
