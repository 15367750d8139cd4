// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.cm;

import java.net.InetAddress;
import java.util.List;
import java.util.Set;

/** Who listens for a service of a transport. Called with the device's lock held; does not block and does not call the transport. */
public interface CmListener {
    /** What becomes of a request. */
    enum Verdict {
        /** Somebody has it, and gave the connection a handler; {@link CmConnection#accept} or {@link CmConnection#reject} follows. */
        TAKEN,
        /** Nobody here has that address: an application's refusal, without private data (InfiniBand reason 28). */
        REFUSED,
        /** Too many wait already: forget it without a word, and the peer will ask again. */
        DROPPED
    }

    /** Where it listens. @param ofDevice what the wildcard address stands for. Any thread, with or without the lock */
    default Set<InetAddress> addresses(List<InetAddress> ofDevice) {
        return Set.copyOf(ofDevice);
    }

    /**
     * A request came, no duplicate of one that is known.
     *
     * @param connection new; on TAKEN it has been given its handler by {@link CmConnection#handler}, else it is the transport's to forget
     */
    Verdict onRequest(CmConnection connection, CmRequest request);
}
