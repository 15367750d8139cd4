// SPDX-License-Identifier: Apache-2.0

/** One adapter for all processes of a user: answers the verbs, rdma_cm and umad calls of C programs, and of Java programs that join. */
@SuppressWarnings({"module", "requires-automatic", "requires-transitive-automatic"})
module org.softrdma.daemon {
    requires org.agrona;
    requires org.softrdma.abi;
    requires org.softrdma.cm;
    requires org.softrdma.device;
    requires org.softrdma.host;
    requires org.softrdma.linux;
    requires org.softrdma.verbs;
    requires org.softrdma.wire;

    exports org.softrdma.daemon.service to org.softrdma.tools;

    provides org.softrdma.verbs.cm.ConnectionManagerProvider with org.softrdma.daemon.client.DaemonConnectionsProvider;
    provides org.softrdma.verbs.VerbsProvider with org.softrdma.daemon.client.DaemonProvider;
}
