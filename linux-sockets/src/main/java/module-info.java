// SPDX-License-Identifier: Apache-2.0

/**
 * Calls of the Linux C library, for sockets and for other processes, through the FFM API. Needs {@code --enable-native-access=org.softrdma.linux}.
 */
@SuppressWarnings({"module", "requires-automatic"})
module org.softrdma.linux {
    requires org.softrdma.verbs;
    requires org.softrdma.wire;
    requires org.agrona;
    requires jdk.unsupported;

    exports org.softrdma.linux to org.softrdma.daemon, org.softrdma.device, org.softrdma.fabric, org.softrdma.link, org.softrdma.siw;
    exports org.softrdma.linux.process to org.softrdma.daemon, org.softrdma.device, org.softrdma.fabric, org.softrdma.tools;
}
