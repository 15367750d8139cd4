// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.softrdma.contract.Capability;
import org.softrdma.contract.CompletionsContract;
import org.softrdma.contract.ContractFabric;
import org.softrdma.contract.DatagramsContract;
import org.softrdma.contract.DevicesContract;
import org.softrdma.contract.ExtendedApiContract;
import org.softrdma.contract.MemoryContract;
import org.softrdma.contract.ObjectsContract;
import org.softrdma.contract.ParentDomainsContract;
import org.softrdma.contract.PostingContract;
import org.softrdma.contract.QueuePairStatesContract;
import org.softrdma.contract.ReliableConnectionContract;
import org.softrdma.contract.SharedReceiveQueuesContract;
import org.softrdma.contract.UnreliableConnectionContract;
import org.softrdma.contract.VerbsContractTest;
import org.softrdma.contract.ViolationsContract;
import org.softrdma.contract.WindowsContract;
import org.softrdma.contract.XrcContract;
import org.softrdma.device.config.NetDevice;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.GidEntry;

/** The contract of the API on rxe devices that are real: sockets on the loopback interface, threads, and the time of the clock. */
class LoopbackContractTest extends VerbsContractTest {
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(20);
    /** Each keeps its device running between tests, which open contexts of their own. */
    private static final List<Context> RUNNING = new ArrayList<>();

    @BeforeAll
    static void startDevices() {
        String loopback = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow().name();
        for (int device = 0; device < ContractFabric.DEVICES; device++) {
            RUNNING.add(Rxe.device("contract-" + device, loopback).open());
        }
    }

    @AfterAll
    static void stopDevices() {
        RUNNING.forEach(Context::close);
        RUNNING.clear();
    }

    @Override
    protected ContractFabric openFabric() {
        return new Loopback();
    }

    @Override
    protected Set<Capability> unsupported() {
        return Set.of();
    }

    @Nested
    class Devices extends DevicesContract {
    }

    @Nested
    class Objects extends ObjectsContract {
    }

    @Nested
    class ParentDomains extends ParentDomainsContract {
    }

    @Nested
    class Memory extends MemoryContract {
    }

    @Nested
    class Windows extends WindowsContract {
    }

    @Nested
    class QueuePairStates extends QueuePairStatesContract {
    }

    @Nested
    class Posting extends PostingContract {
    }

    @Nested
    class ReliableConnection extends ReliableConnectionContract {
    }

    @Nested
    class Violations extends ViolationsContract {
    }

    @Nested
    class UnreliableConnection extends UnreliableConnectionContract {
    }

    @Nested
    class Datagrams extends DatagramsContract {
    }

    @Nested
    class SharedReceiveQueues extends SharedReceiveQueuesContract {
    }

    @Nested
    class Xrc extends XrcContract {
    }

    @Nested
    class Completions extends CompletionsContract {
    }

    @Nested
    class ExtendedApi extends ExtendedApiContract {
    }

    private static final class Loopback implements ContractFabric {
        @Override
        public Context open(int device) {
            return RUNNING.get(device).device().open();
        }

        @Override
        public GidEntry address(int device) {
            return RUNNING.get(device).queryGidTable().stream().filter(entry -> entry.gid().isIpv4Mapped()).findFirst()
                .orElseThrow();
        }

        @Override
        public boolean await(BooleanSupplier done) {
            long untilNs = System.nanoTime() + PATIENCE_NS;
            while (!done.getAsBoolean()) {
                if (System.nanoTime() - untilNs >= 0) {
                    return false;
                }
                Thread.yield();
            }
            return true;
        }

        @Override
        public void close() {
            // The devices stay for the next test; what it opened it has closed.
        }
    }
}
