// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.engine;

import org.softrdma.link.Link;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * Registry of the objects that only RoCE devices have: XRC domains, multicast groups and address handles. Queue pairs, memory and shared
 * receive queues are in {@link org.softrdma.device.engine.DeviceEngine}. Used by the device's owner only.
 */
public final class DeviceObjects {
    private final XrcDomainTable xrcDomains = new XrcDomainTable();
    private final MulticastTable multicast;
    private int addressHandles;

    DeviceObjects(Link link) {
        multicast = new MulticastTable(link);
    }

    public XrcDomainTable xrcDomains() {
        return xrcDomains;
    }

    public MulticastTable multicast() {
        return multicast;
    }

    /**
     * Counts one more address handle.
     *
     * @throws VerbsException ENOMEM: the limit is reached
     */
    public void addAddressHandle() {
        if (addressHandles == RxeLimits.MAX_AH) {
            throw new VerbsException(Errno.ENOMEM, "create_ah", "the device has " + RxeLimits.MAX_AH + " address handles already");
        }
        addressHandles++;
    }

    /** Counts one address handle less. */
    public void removeAddressHandle() {
        addressHandles--;
    }
}
