// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.pingpong;

import java.util.function.Function;
import org.softrdma.verbs.QpType;

/** Transport services, one for each of the {@code ibv_*_pingpong} programs. */
public enum Service {
    RC(QpType.RC, 1, RcEndpoint::new),
    UC(QpType.UC, 1, UcEndpoint::new),
    UD(QpType.UD, 1, UdEndpoint::new),
    /** Several reliable connections that share one receive queue. */
    SRQ(QpType.RC, 256, SrqEndpoint::new);

    final QpType type;
    /** Number of destinations in a message, for any number of queue pairs. */
    final int destinations;
    final Function<PingPongParameters, Endpoint> endpoint;

    Service(QpType type, int destinations, Function<PingPongParameters, Endpoint> endpoint) {
        this.type = type;
        this.destinations = destinations;
        this.endpoint = endpoint;
    }
}
