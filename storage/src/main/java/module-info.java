// SPDX-License-Identifier: Apache-2.0

/** A small NFS server over RDMA connections, over any provider. */
module org.softrdma.storage {
    requires transitive org.softrdma.rpcrdma;

    exports org.softrdma.storage;
}
