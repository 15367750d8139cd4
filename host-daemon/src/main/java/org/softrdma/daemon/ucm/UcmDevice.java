// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import org.softrdma.abi.sysfs.DeviceNumber;
import org.softrdma.cm.SoftConnectionManager;
import org.softrdma.daemon.trap.ClientProcess;
import org.softrdma.daemon.trap.DeviceNode;

/** The device {@code /dev/infiniband/rdma_cm}: all programs' identifiers, on one connection manager. Any thread. */
public final class UcmDevice implements DeviceNode, AutoCloseable {
    private static final String NAME = "rdma_cm";
    /** With any minor number that is free, as the kernel gives one. librdmacm looks only at the file's type. */
    private static final DeviceNumber NUMBER = DeviceNumber.misc(58);

    private final SoftConnectionManager manager;
    private final QueuePairOwners owners;
    private final NumberTable<UcmIdentifier> identifiers = new NumberTable<>(UcmLimits.IDENTIFIERS, "identifiers");
    private final NumberTable<UcmMembership> memberships = new NumberTable<>(UcmLimits.MEMBERSHIPS, "memberships of groups");
    private final UcmDelivery delivery = new UcmDelivery();

    /**
     * Creates the device.
     *
     * @param manager has the ports and the devices of all programs
     * @param owners  knows the programs' queue pairs
     */
    public UcmDevice(SoftConnectionManager manager, QueuePairOwners owners) {
        this.manager = manager;
        this.owners = owners;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public DeviceNumber number() {
        return NUMBER;
    }

    @Override
    public UcmFile open(ClientProcess process) {
        return new UcmFile(this, process.owner());
    }

    /** Returns how many identifiers all programs have. */
    public int identifierCount() {
        return identifiers.size();
    }

    /** Ends the thread that answers waiting calls. Files must be closed before. */
    @Override
    public void close() {
        delivery.close();
    }

    SoftConnectionManager manager() {
        return manager;
    }

    QueuePairOwners owners() {
        return owners;
    }

    NumberTable<UcmIdentifier> identifiers() {
        return identifiers;
    }

    NumberTable<UcmMembership> memberships() {
        return memberships;
    }

    UcmDelivery delivery() {
        return delivery;
    }
}
