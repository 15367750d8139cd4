// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.softrdma.contract.AllContracts;
import org.softrdma.contract.Capability;
import org.softrdma.contract.ContractFabric;
import org.softrdma.contract.LiveFabric;
import org.softrdma.verbs.GidEntry;

/** The contract of the API on the devices of a daemon, which is another process. */
class DaemonDevicesTest extends AllContracts {
    private static RunningDaemon daemon;
    private static Joined fabric;

    @BeforeAll
    static void startDevices() {
        daemon = new RunningDaemon(ContractFabric.DEVICES);
        fabric = new Joined();
    }

    @AfterAll
    static void stopDevices() {
        fabric.stop();
        daemon.close();
    }

    @Override
    protected ContractFabric openFabric() {
        return fabric;
    }

    /** The kernel's interface has commands for these, but librxe's rings or the daemon do not: docs/verbs-contract.md. */
    @Override
    protected Set<Capability> unsupported() {
        return EnumSet.of(Capability.XRC, Capability.TIMESTAMPS, Capability.REREGISTRATION, Capability.RESIZE_SHARED_RECEIVE_QUEUES);
    }

    private static final class Joined extends LiveFabric {
        Joined() {
            super(device -> daemon.devices().get(device).open());
        }

        @Override
        public GidEntry address(int device) {
            return running(device).queryGidTable().stream().filter(entry -> entry.gid().isIpv4Mapped()).findFirst().orElseThrow();
        }

        /** The memory is another process's, which the daemon cannot see being freed. */
        @Override
        public boolean guardsFreedMemory() {
            return false;
        }
    }
}
