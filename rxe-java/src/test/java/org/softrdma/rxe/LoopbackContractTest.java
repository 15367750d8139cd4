// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.softrdma.contract.AllContracts;
import org.softrdma.contract.Capability;
import org.softrdma.contract.ContractFabric;
import org.softrdma.contract.LiveFabric;
import org.softrdma.host.config.NetDevice;
import org.softrdma.verbs.GidEntry;

/** The contract of the API on real rxe devices: sockets on the loopback interface, threads, and the real clock. */
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
        return Set.of();
    }

    private static final class Loopback extends LiveFabric {
        private static final String NETDEV = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow().name();

        Loopback() {
            super(device -> Rxe.device("contract-" + device, NETDEV).open());
        }

        @Override
        public GidEntry address(int device) {
            return running(device).queryGidTable().stream().filter(entry -> entry.gid().isIpv4Mapped()).findFirst().orElseThrow();
        }
    }
}
