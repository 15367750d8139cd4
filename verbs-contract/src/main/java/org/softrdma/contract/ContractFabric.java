// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import java.util.function.BooleanSupplier;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.QueuePair;

/** What a provider brings to be tested: devices that reach each other, and its own notion of time. Made for one test, closed after it. */
public interface ContractFabric extends AutoCloseable {
    /** Devices that {@link #open} knows. */
    int DEVICES = 3;

    /**
     * Opens one more context of a device; whoever opens it closes it.
     *
     * @param device 0..2, each as if on a host of its own
     */
    Context open(int device);

    /** The address at which others reach a device. */
    GidEntry address(int device);

    /**
     * Lets time pass until {@code done} answers true. It is asked again whenever something may have changed. It may poll; then it takes
     * all there is.
     *
     * @return false if the provider's patience is over before
     */
    boolean await(BooleanSupplier done);

    /**
     * Brings two queue pairs to RTS, each the other's peer. As InfiniBand does it, by modify calls with what {@code setup} says.
     *
     * @param deviceOfA the device that {@code a} is on
     */
    default void connect(QueuePair a, int deviceOfA, QueuePair b, int deviceOfB, Setup setup) {
        setup.connect(a, way(deviceOfA, deviceOfB), b.qpNum(), setup.accessA, setup.psnA, setup.psnB);
        setup.connect(b, way(deviceOfB, deviceOfA), a.qpNum(), setup.accessB, setup.psnB, setup.psnA);
    }

    /** The way from one device to another. */
    default AddressVector way(int from, int to) {
        return AddressVector.to(address(to).gid(), address(from).index());
    }

    @Override
    void close();
}
