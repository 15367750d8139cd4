// SPDX-License-Identifier: Apache-2.0

/** Configured links, network interfaces, capture files, and reports and records between the processes of a user. Nothing here is API. */
@SuppressWarnings("module")
module org.softrdma.host {
    requires transitive org.softrdma.verbs;
    requires org.softrdma.wire;

    exports org.softrdma.host.capture to org.softrdma.link, org.softrdma.rxe, org.softrdma.siw;
    exports org.softrdma.host.config to org.softrdma.cm, org.softrdma.daemon, org.softrdma.device, org.softrdma.fabric, org.softrdma.lab,
        org.softrdma.link, org.softrdma.rxe, org.softrdma.siw, org.softrdma.testing, org.softrdma.tools;
    exports org.softrdma.host.inspect to org.softrdma.cm, org.softrdma.daemon, org.softrdma.device, org.softrdma.fabric, org.softrdma.lab,
        org.softrdma.link, org.softrdma.rxe, org.softrdma.tools;
    exports org.softrdma.host.loopback to org.softrdma.cm, org.softrdma.testing;
    exports org.softrdma.host.orphans to org.softrdma.link, org.softrdma.rxe;

    uses org.softrdma.host.config.LinkType;
}
