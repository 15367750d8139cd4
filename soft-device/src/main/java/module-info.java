// SPDX-License-Identifier: Apache-2.0

/** Parts that every software device shares. Applications use {@code org.softrdma.verbs}; nothing here is API. */
@SuppressWarnings({"module", "requires-automatic"})
module org.softrdma.device {
    requires transitive org.softrdma.verbs;
    requires org.softrdma.wire;
    requires org.agrona;

    exports org.softrdma.device to org.softrdma.link, org.softrdma.rxe, org.softrdma.siw;
    exports org.softrdma.device.agent to org.softrdma.rxe, org.softrdma.simulator, org.softrdma.siw;
    exports org.softrdma.device.cm to org.softrdma.rxe, org.softrdma.siw;
    exports org.softrdma.device.config to org.softrdma.link, org.softrdma.rxe, org.softrdma.siw, org.softrdma.tools;
    exports org.softrdma.device.engine to org.softrdma.rxe, org.softrdma.siw;
    exports org.softrdma.device.inspect to org.softrdma.tools;
    exports org.softrdma.device.memory to org.softrdma.rxe, org.softrdma.siw;
    exports org.softrdma.device.qp to org.softrdma.rxe, org.softrdma.siw;
    exports org.softrdma.device.queue to org.softrdma.link, org.softrdma.rxe, org.softrdma.siw;
    exports org.softrdma.device.sim to org.softrdma.link, org.softrdma.rxe, org.softrdma.simulator;
    exports org.softrdma.device.threads to org.softrdma.rxe, org.softrdma.siw;
    exports org.softrdma.device.verbs to org.softrdma.rxe, org.softrdma.siw;

    uses org.softrdma.device.config.LinkType;

    provides org.softrdma.verbs.cm.ConnectionManagerProvider with org.softrdma.device.cm.SoftConnectionManagerProvider;
}
