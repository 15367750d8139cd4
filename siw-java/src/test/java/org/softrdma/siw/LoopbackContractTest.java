// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.softrdma.contract.AllContracts;
import org.softrdma.contract.Capability;
import org.softrdma.contract.ContractFabric;
import org.softrdma.contract.LiveFabric;
import org.softrdma.contract.Setup;
import org.softrdma.host.config.NetDevice;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.QueuePair;

/** The contract of the API on iWARP devices, over loopback TCP with threads and the real clock. */
class LoopbackContractTest extends AllContracts {
    private static Loopback fabric;

    @BeforeAll
    static void startDevices() {
        fabric = new Loopback();
    }

    @AfterAll
    static void stopDevices() {
        fabric.stop();
    }

    @Override
    protected ContractFabric openFabric() {
        return fabric;
    }

    @Override
    protected Set<Capability> unsupported() {
        return EnumSet.of(Capability.INFINIBAND_TRANSPORT, Capability.ACKNOWLEDGEMENTS, Capability.RECEIVER_NOT_READY,
            Capability.IMMEDIATE_DATA, Capability.UNRELIABLE_CONNECTIONS, Capability.DATAGRAMS, Capability.MULTICAST,
            Capability.ATOMIC_WRITE, Capability.FLUSH, Capability.XRC);
    }

    static class Loopback extends LiveFabric {
        private static final String NETDEV = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow().name();

        Loopback() {
            super(device -> Siw.device("contract-" + device, NETDEV, MpaOptions.DEFAULT.withPauseNs(0)).open());
        }

        /** The hardware address; not used to reach a peer. */
        @Override
        public GidEntry address(int device) {
            return running(device).queryGidEntry(1, 0);
        }

        /** Connects through the connection manager, the only way on iWARP. */
        @Override
        public void connect(QueuePair a, int deviceOfA, QueuePair b, int deviceOfB, Setup setup) {
            a.modify(setup.init(setup.accessA));
            b.modify(setup.init(setup.accessB));
            try (CmEnd asked = new CmEnd(b); CmEnd asking = new CmEnd(a)) {
                int port = asked.listen();
                asking.connect(port, setup.rdAtomic, setup.destRdAtomic);
                asked.accept(setup.rdAtomic, setup.destRdAtomic);
                asking.awaitEstablished();
            }
        }
    }
}
