// SPDX-License-Identifier: Apache-2.0

/** Remote procedure calls over RDMA connections, with RPC-over-RDMA version 1, over any provider. */
@SuppressWarnings("module")
module org.softrdma.rpcrdma {
    requires transitive org.softrdma.verbs;

    exports org.softrdma.rpcrdma;
    exports org.softrdma.rpcrdma.connection to org.softrdma.storage;
}
