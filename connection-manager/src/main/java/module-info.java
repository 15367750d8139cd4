// SPDX-License-Identifier: Apache-2.0

/** Connections by address, over all devices of a process. Nothing here is API: applications use {@code org.softrdma.verbs.cm}. */
@SuppressWarnings("module")
module org.softrdma.cm {
    requires transitive org.softrdma.device;
    requires transitive org.softrdma.host;
    requires transitive org.softrdma.verbs;

    exports org.softrdma.cm to org.softrdma.daemon, org.softrdma.fabric, org.softrdma.rxe, org.softrdma.simulator, org.softrdma.siw,
        org.softrdma.testing;

    provides org.softrdma.verbs.cm.ConnectionManagerProvider with org.softrdma.cm.SoftConnectionManagerProvider;
}
