// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.softrdma.contract.AllContracts;
import org.softrdma.contract.Capability;
import org.softrdma.contract.ContractFabric;
import org.softrdma.contract.LiveFabric;
import org.softrdma.contract.Setup;
import org.softrdma.libibverbs.LibibverbsProvider;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Transport;

/**
 * The contract of the API on the devices of the system's libibverbs: the first three, or the only one in all roles. Run by
 * {@link LibibverbsContractRun} where there are devices.
 */
class LibibverbsContract extends AllContracts {
    /** Devices under test; set before the tests start. */
    static ContractAdapter adapter;
    /** How long a test waits for what does not happen. */
    static Duration patience;

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

    @Override
    protected Set<Capability> unsupported() {
        return adapter.lacks();
    }

    private static final class Devices extends LiveFabric {
        private static final List<RdmaDevice> LISTED = new LibibverbsProvider().devices();

        private final Deque<Connected> connections = new ArrayDeque<>();

        Devices() {
            super(number -> LISTED.get(Math.min(number, LISTED.size() - 1)).open());
        }

        @Override
        protected Duration patience() {
            return patience;
        }

        @Override
        public boolean guardsFreedMemory() {
            return false;
        }

        @Override
        public boolean raisesErrorEvents() {
            return adapter.raisesErrorEvents();
        }

        @Override
        public boolean saysWhyItRefuses() {
            return false;
        }

        @Override
        public GidEntry address(int device) {
            List<GidEntry> entries = running(device).queryGidTable();
            return entries.stream().filter(entry -> entry.gid().isIpv4Mapped()).findFirst().orElseGet(entries::getFirst);
        }

        /** On iWARP connects through the connection manager, the only way there. */
        @Override
        public void connect(QueuePair a, int deviceOfA, QueuePair b, int deviceOfB, Setup setup) {
            if (running(0).device().transport() == Transport.INFINIBAND) {
                super.connect(a, deviceOfA, b, deviceOfB, setup);
                return;
            }
            a.modify(setup.init(setup.accessA));
            b.modify(setup.init(setup.accessB));
            connections.add(Connected.connect(a, b, setup));
        }

        /** Closes the test's connections, whose queue pairs are gone. */
        @Override
        public void close() {
            while (!connections.isEmpty()) {
                connections.remove().close();
            }
        }
    }
}
