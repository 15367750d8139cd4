// SPDX-License-Identifier: Apache-2.0

/** The commands of rdma-core, perftest and iproute2 behind one launcher. */
module org.softrdma.tools {
    requires org.softrdma.abi;
    requires org.softrdma.daemon;
    requires org.softrdma.fabric;
    requires org.softrdma.verbs;
    requires org.softrdma.host;
    requires org.softrdma.lab;
    requires org.softrdma.recording;
    requires org.softrdma.rsocket;
    requires org.softrdma.rxe;
    requires org.softrdma.simulator;
    requires org.softrdma.siw;
    requires org.softrdma.storage;
    requires info.picocli;
    requires java.logging;
}
