// SPDX-License-Identifier: Apache-2.0

/** Socket calls of the Linux C library through the FFM API. Needs {@code --enable-native-access=org.softrdma.linux}. */
@SuppressWarnings({"module", "requires-automatic"})
module org.softrdma.linux {
    requires org.softrdma.verbs;
    requires org.softrdma.wire;
    requires org.agrona;

    exports org.softrdma.linux to org.softrdma.device, org.softrdma.link, org.softrdma.siw;
}
