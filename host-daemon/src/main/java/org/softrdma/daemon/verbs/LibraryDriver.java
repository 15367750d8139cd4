// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import org.softrdma.daemon.rings.RingFormat;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.Transport;

/**
 * Answers of a device driver to its own half in libibverbs, besides the common ones: librxe for RoCE, libsiw for iWARP. The
 * methods write the driver's part of the answer to a call; they throw EINVAL if the program has no room for it.
 */
interface LibraryDriver {
    /** Returns the driver for a transport. */
    static LibraryDriver of(Transport transport) {
        return transport == Transport.IWARP ? SiwDriver.INSTANCE : RxeDriver.INSTANCE;
    }

    /** Number of the driver, {@code enum rdma_driver_id}. */
    int id();

    /** Version of the driver's interface, as in sysfs. */
    int abiVersion();

    RingFormat rings();

    /** Greatest sizes of a queue pair that the library can use. */
    QpCapabilities maxCapabilities();

    /** Returns whether the library has queue pairs of a type. */
    boolean hasType(QpType type);

    /** Returns whether the library takes requests with atomic operations and memory windows. */
    boolean hasAtomicsAndWindows();

    /** Returns whether a doorbell fails with EINVAL while no queue pair of its context may send. */
    boolean refusesEarlyBells();

    /** Attributes of a queue pair, bits of {@link org.softrdma.verbs.QpAttributeMask}, that are taken from programs without effect. */
    int ignoredAttributes();

    /** Answers GET_CONTEXT. */
    void contextCreated(UverbsCall call, int device);

    void cqCreated(UverbsCall call, HeldCq cq);

    void cqResized(UverbsCall call, HeldCq cq);

    void qpCreated(UverbsCall call, HeldQp qp);

    void srqCreated(UverbsCall call, HeldSrq srq);

    void ahCreated(UverbsCall call, HeldAh handle);

    void mrRegistered(UverbsCall call, HeldMr region);
}
