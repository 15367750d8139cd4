// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.softrdma.contract.AllContracts;
import org.softrdma.contract.Capability;
import org.softrdma.contract.ContractFabric;
import org.softrdma.contract.LiveFabric;
import org.softrdma.libibverbs.LibibverbsProvider;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.RdmaDevice;

/**
 * The contract of the API on the first three devices of the system's libibverbs, which reach each other. Run by
 * {@link LibibverbsContractRun} where there are such devices.
 */
class LibibverbsContract extends AllContracts {
    private static Devices devices;

    @BeforeAll
    static void openDevices() {
        devices = new Devices();
    }

    @AfterAll
    static void closeDevices() {
        devices.stop();
    }

    @Override
    protected ContractFabric openFabric() {
        return devices;
    }

    /** Capabilities that this provider lacks, and those that librxe of Debian 12 lacks. */
    @Override
    protected Set<Capability> unsupported() {
        return EnumSet.of(Capability.FLUSH, Capability.XRC, Capability.PARENT_DOMAINS, Capability.TIMESTAMPS,
            Capability.REREGISTRATION, Capability.RESIZE_SHARED_RECEIVE_QUEUES);
    }

    private static final class Devices extends LiveFabric {
        private static final List<RdmaDevice> LISTED = new LibibverbsProvider().devices();

        Devices() {
            super(number -> LISTED.get(number).open());
        }

        @Override
        public boolean guardsFreedMemory() {
            return false;
        }

        @Override
        public GidEntry address(int device) {
            Context context = running(device);
            return context.queryGidTable().stream().filter(entry -> entry.gid().isIpv4Mapped()).findFirst().orElseThrow();
        }
    }
}
