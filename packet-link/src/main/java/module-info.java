// SPDX-License-Identifier: Apache-2.0

/**
 * Links that carry packets: UDP sockets, raw frames, shared memory, captures, faults and the simulated fabric, and the interface of
 * simulated subnets. Only the faults and the fabric are API.
 */
@SuppressWarnings("module")
module org.softrdma.link {
    requires transitive org.softrdma.device;
    requires org.softrdma.host;
    requires org.softrdma.linux;
    requires org.softrdma.wire;
    requires jdk.net;

    exports org.softrdma.link to org.softrdma.fabric, org.softrdma.rxe, org.softrdma.testing;
    exports org.softrdma.link.capture to org.softrdma.rxe;
    exports org.softrdma.link.fault;
    exports org.softrdma.link.raw to org.softrdma.rxe;
    exports org.softrdma.link.shm to org.softrdma.rxe;
    exports org.softrdma.link.sim;
    exports org.softrdma.link.subnet to org.softrdma.fabric, org.softrdma.lab;
    exports org.softrdma.link.udp to org.softrdma.rxe;
}
