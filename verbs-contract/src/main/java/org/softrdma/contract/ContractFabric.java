// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import java.util.List;
import java.util.function.BooleanSupplier;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.QueuePair;

/** Devices of a provider under test, which reach each other, and the provider's notion of time. Used for one test and then closed. */
public interface ContractFabric extends AutoCloseable {
    /** Number of devices for {@link #open}. */
    int DEVICES = 3;

    /**
     * Opens a context of a device; the caller closes it.
     *
     * @param device 0..2, each as if on a host of its own
     */
    Context open(int device);

    /** Returns the address of a device for its peers. */
    GidEntry address(int device);

    /**
     * Returns whether the devices refuse access to registered memory whose arena is closed. An adapter that has pinned the pages does not:
     * there, such memory must not be freed.
     */
    default boolean guardsFreedMemory() {
        return true;
    }

    /**
     * Returns whether a mistake of a peer, which ends a connection, raises an asynchronous event here, as IBA vol 1 §11.6.3 asks. The
     * Linux kernel's soft devices report it by the statuses of the completions only.
     */
    default boolean raisesErrorEvents() {
        return true;
    }

    /**
     * Returns whether a call that the device refuses has the errno that this API names, and says why. A driver behind libibverbs gives
     * only an errno, and the manual pages leave most of them to the driver.
     */
    default boolean saysWhyItRefuses() {
        return true;
    }

    /**
     * Lets time pass until {@code done} returns true. It is evaluated whenever something may have changed. It may poll; then it must take
     * all completions.
     *
     * @return false if the provider's time limit is exceeded
     */
    boolean await(BooleanSupplier done);

    /**
     * Moves two queue pairs to RTS, each the other's peer: with InfiniBand's modify calls and the values of {@code setup}.
     *
     * @param deviceOfA the device that {@code a} is on
     */
    default void connect(QueuePair a, int deviceOfA, QueuePair b, int deviceOfB, Setup setup) {
        setup.connect(a, way(deviceOfA, deviceOfB), b.qpNum(), setup.accessA, setup.psnA, setup.psnB);
        setup.connect(b, way(deviceOfB, deviceOfA), a.qpNum(), setup.accessB, setup.psnB, setup.psnA);
    }

    /** Returns the names of the rules that a strict device has found violated since the fabric was opened. */
    default List<String> findings() {
        return List.of();
    }

    /** Returns the address vector from one device to another. */
    default AddressVector way(int from, int to) {
        return AddressVector.to(address(to).gid(), address(from).index());
    }

    @Override
    void close();
}
