// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.cm;

import java.net.InetAddress;
import java.util.List;
import java.util.Set;

/** Who listens for a service of a transport. Called with the device's lock held; does not block and does not call the transport. */
public interface CmListener {
    /** Where it listens. @param ofDevice what the wildcard address stands for. Any thread, with or without the lock */
    default Set<InetAddress> addresses(List<InetAddress> ofDevice) {
        return Set.copyOf(ofDevice);
    }

    /**
     * A request came, no duplicate of one that is known.
     *
     * @param connection new; on TAKEN it has been given its handler by {@link CmConnection#handler}, else it is the transport's to forget
     */
    RequestVerdict onRequest(CmConnection connection, CmRequest request);
}
