// SPDX-License-Identifier: Apache-2.0

/** Fabrics for tests of RDMA programs. Start with {@link org.softrdma.testing.Fabric}. */
@SuppressWarnings("module")
module org.softrdma.testing {
    requires transitive org.softrdma.verbs;
    requires org.softrdma.cm;
    requires org.softrdma.device;
    requires org.softrdma.host;
    requires transitive org.softrdma.link;
    requires org.softrdma.rxe;
    requires transitive org.softrdma.siw;
    requires org.softrdma.wire;

    exports org.softrdma.testing;
}
