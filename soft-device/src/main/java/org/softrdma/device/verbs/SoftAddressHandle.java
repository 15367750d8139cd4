// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.softrdma.device.queue.Destination;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.ProtectionDomain;

/** A resolved destination. Work requests copy the destination when they are posted, so the handle may be closed while they wait. */
final class SoftAddressHandle implements AddressHandle {
    private final SoftProtectionDomain pd;
    private final AddressVector vector;
    private final Destination destination;
    private final AtomicBoolean closed = new AtomicBoolean();

    SoftAddressHandle(SoftProtectionDomain pd, AddressVector vector, Destination destination) {
        this.pd = pd;
        this.vector = vector;
        this.destination = destination;
        pd.children.add("address handles");
        pd.softContext().living.add(this);
    }

    @Override
    public ProtectionDomain pd() {
        return pd;
    }

    @Override
    public AddressVector vector() {
        return vector;
    }

    Destination destination() {
        return destination;
    }

    boolean isClosed() {
        return closed.get();
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        ReentrantLock owner = pd.softContext().agent().lock();
        owner.lock();
        try {
            pd.softContext().closeDestination(destination);
        } finally {
            owner.unlock();
        }
        pd.children.remove("address handles");
        pd.softContext().living.remove(this);
    }

    @Override
    public String toString() {
        return "ah {" + vector + "}";
    }
}
