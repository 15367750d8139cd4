// SPDX-License-Identifier: Apache-2.0

/** A JUnit Jupiter extension for tests of RDMA programs. Start with {@link org.softrdma.junit.SoftRdma}. */
@SuppressWarnings("module")
module org.softrdma.junit {
    requires transitive org.softrdma.testing;
    requires transitive org.junit.jupiter.api;

    exports org.softrdma.junit;
    opens org.softrdma.junit;
}
