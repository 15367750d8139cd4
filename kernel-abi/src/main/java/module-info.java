// SPDX-License-Identifier: Apache-2.0

/** The kernel's interface to user space, bytes only: verbs, connection manager, management datagrams, shared rings, sysfs. Nothing here is API. */
@SuppressWarnings("module")
module org.softrdma.abi {
    exports org.softrdma.abi to org.softrdma.daemon;
    exports org.softrdma.abi.netlink to org.softrdma.daemon;
    exports org.softrdma.abi.rings to org.softrdma.daemon;
    exports org.softrdma.abi.sysfs to org.softrdma.daemon, org.softrdma.tools;
    exports org.softrdma.abi.ucm to org.softrdma.daemon;
    exports org.softrdma.abi.umad to org.softrdma.daemon;
    exports org.softrdma.abi.uverbs to org.softrdma.daemon;
}
