// SPDX-License-Identifier: Apache-2.0

/** Random workloads on a faulty network in virtual time, checked by oracles. Nothing here is API. */
@SuppressWarnings("module")
module org.softrdma.simulator {
    requires org.softrdma.verbs;
    requires org.softrdma.wire;
    requires org.softrdma.cm;
    requires org.softrdma.device;
    requires org.softrdma.link;
    requires org.softrdma.rxe;
    requires org.softrdma.siw;

    exports org.softrdma.simulator to org.softrdma.tools;
    exports org.softrdma.simulator.cm to org.softrdma.tools;
    exports org.softrdma.simulator.iwarp to org.softrdma.tools;
}
