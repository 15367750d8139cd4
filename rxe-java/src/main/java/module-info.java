// SPDX-License-Identifier: Apache-2.0

/** The RoCE provider. */
@SuppressWarnings({"module", "requires-automatic"})
module org.softrdma.rxe {
    requires transitive org.softrdma.verbs;
    requires org.softrdma.cm;
    requires org.softrdma.device;
    requires org.softrdma.host;
    requires org.softrdma.link;
    requires org.softrdma.wire;
    requires org.agrona;
    requires jdk.net;

    exports org.softrdma.rxe;
    exports org.softrdma.rxe.cm to org.softrdma.simulator;
    exports org.softrdma.rxe.config;
    exports org.softrdma.rxe.sim to org.softrdma.simulator;

    provides org.softrdma.host.config.LinkType with org.softrdma.rxe.config.RxeLinkType;
    provides org.softrdma.verbs.VerbsProvider with org.softrdma.rxe.RxeProvider;
}
