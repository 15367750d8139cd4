// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import java.util.List;
import org.softrdma.abi.uverbs.UverbsValue;
import org.softrdma.daemon.service.DaemonSession;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.VerbsProvider;

/**
 * Provides the RoCE devices of the user's daemon, if {@link Verbs#HOST_PROPERTY} says so. iWARP devices are left out: the rings of libsiw
 * carry neither immediate data nor atomics.
 */
public final class DaemonProvider implements VerbsProvider {
    /** Called by the service loader. */
    public DaemonProvider() {
    }

    @Override
    public String name() {
        return "daemon";
    }

    @Override
    public List<RdmaDevice> devices() {
        return Verbs.usesDaemon() ? of(DaemonSession.ofThisProcess()) : List.of();
    }

    /** Lists the RoCE devices of a daemon. */
    static List<RdmaDevice> of(DaemonSession session) {
        return session.devices().stream().filter(each -> each.driverId() == UverbsValue.DRIVER_RXE)
            .<RdmaDevice>map(each -> new DaemonDevice(session, each)).toList();
    }
}
