// SPDX-License-Identifier: Apache-2.0

/** Servers of files and disks over RDMA connections, over any provider: NFS and NVMe over Fabrics. */
module org.softrdma.storage {
    requires transitive org.softrdma.rpcrdma;

    exports org.softrdma.storage;
    exports org.softrdma.storage.nvme;
    exports org.softrdma.storage.nvme.host;
    exports org.softrdma.storage.nvme.store;
}
