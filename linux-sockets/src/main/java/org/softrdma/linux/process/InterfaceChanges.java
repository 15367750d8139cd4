// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import java.lang.foreign.Arena;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.VerbsException;

/**
 * Notices of the kernel that a network interface of this network namespace, or an address of one, has changed. Their contents are not
 * read: the caller looks at the interfaces itself. One thread. Source: rtnetlink(7).
 */
public final class InterfaceChanges extends KernelNotices {
    /** RTMGRP_LINK, RTMGRP_IPV4_IFADDR and RTMGRP_IPV6_IFADDR. */
    private static final int GROUPS = 0x1 | 0x10 | 0x100;

    /**
     * Asks for notices from now on.
     *
     * @throws VerbsException EMFILE, or EIO where the host has no such sockets
     */
    public InterfaceChanges() {
        super(CLibrary.check(new LinuxSockets(Arena.ofAuto()).routeNotices(GROUPS), "socket", "notices of interfaces"));
    }
}
