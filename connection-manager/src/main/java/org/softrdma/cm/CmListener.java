// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.net.InetAddress;
import java.util.List;
import java.util.Set;

/** Receives the requests for a service of a transport. Called with the device's lock held; must not block or call the transport. */
public interface CmListener {
    /**
     * Returns the addresses that requests are accepted for. Called by any thread, with or without the lock.
     *
     * @param ofDevice addresses of the device, for which the wildcard address stands
     */
    default Set<InetAddress> addresses(List<InetAddress> ofDevice) {
        return Set.copyOf(ofDevice);
    }

    /**
     * A new request was received; duplicates are not reported.
     *
     * @param connection new; on TAKEN its handler has been set by {@link CmConnection#handler}, otherwise the transport discards it
     */
    RequestVerdict onRequest(CmConnection connection, CmRequest request);
}
