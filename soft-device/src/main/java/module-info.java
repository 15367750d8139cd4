// SPDX-License-Identifier: Apache-2.0

/**
 * The common part of all soft devices. Applications use {@code org.softrdma.verbs}; of this
 * module {@code threads} and {@code findings} are API.
 */
@SuppressWarnings({"module", "requires-automatic", "requires-transitive-automatic"})
module org.softrdma.device {
    requires transitive org.softrdma.host;
    requires transitive org.softrdma.recording;
    requires transitive org.softrdma.verbs;
    requires org.softrdma.linux;
    requires jdk.jfr;
    requires transitive org.agrona;

    exports org.softrdma.device to org.softrdma.fabric, org.softrdma.link, org.softrdma.rxe, org.softrdma.simulator, org.softrdma.siw,
        org.softrdma.testing;
    exports org.softrdma.device.agent to org.softrdma.cm, org.softrdma.daemon, org.softrdma.fabric, org.softrdma.link, org.softrdma.rxe,
        org.softrdma.simulator, org.softrdma.siw, org.softrdma.testing;
    exports org.softrdma.device.engine to org.softrdma.daemon, org.softrdma.rxe, org.softrdma.siw;
    exports org.softrdma.device.events to org.softrdma.rxe, org.softrdma.siw;
    exports org.softrdma.device.findings;
    exports org.softrdma.device.memory to org.softrdma.daemon, org.softrdma.rxe, org.softrdma.siw;
    exports org.softrdma.device.qp to org.softrdma.daemon, org.softrdma.rxe, org.softrdma.siw;
    exports org.softrdma.device.queue to org.softrdma.daemon, org.softrdma.link, org.softrdma.rxe, org.softrdma.siw;
    exports org.softrdma.device.sim to org.softrdma.link, org.softrdma.rxe, org.softrdma.simulator, org.softrdma.siw, org.softrdma.testing;
    exports org.softrdma.device.strict to org.softrdma.daemon, org.softrdma.rxe, org.softrdma.siw;
    exports org.softrdma.device.threads;
    exports org.softrdma.device.verbs to org.softrdma.cm, org.softrdma.daemon, org.softrdma.rxe, org.softrdma.siw, org.softrdma.testing;
}
