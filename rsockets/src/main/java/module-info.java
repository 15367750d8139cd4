// SPDX-License-Identifier: Apache-2.0

/** Byte streams over RDMA connections, with librdmacm's rsockets protocol, over any provider. */
module org.softrdma.rsocket {
    requires transitive org.softrdma.verbs;

    exports org.softrdma.rsocket;
    exports org.softrdma.rsocket.stream;
}
