// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.pingpong;

import java.util.function.Function;
import org.softrdma.verbs.QpType;

/** Which of the {@code ibv_*_pingpong} programs one is, by the service it plays over. */
public enum Service {
    RC(QpType.RC, 1, RcEndpoint::new),
    UC(QpType.UC, 1, UcEndpoint::new),
    UD(QpType.UD, 1, UdEndpoint::new),
    /** Several reliable connections at once, all taking their receives from one shared queue. */
    SRQ(QpType.RC, 256, SrqEndpoint::new);

    final QpType type;
    /** Destinations each end tells the other, however many queue pairs there are. */
    final int destinations;
    final Function<PingPongParameters, Endpoint> endpoint;

    Service(QpType type, int destinations, Function<PingPongParameters, Endpoint> endpoint) {
        this.type = type;
        this.destinations = destinations;
        this.endpoint = endpoint;
    }
}
