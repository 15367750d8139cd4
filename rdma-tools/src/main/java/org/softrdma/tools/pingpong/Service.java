// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.pingpong;

import java.util.function.Function;
import org.softrdma.verbs.QpType;

/** Which of the {@code ibv_*_pingpong} programs one is, by the service it plays over. */
public enum Service {
    RC(QpType.RC, RcEndpoint::new),
    UC(QpType.UC, UcEndpoint::new),
    UD(QpType.UD, UdEndpoint::new);

    final QpType type;
    final Function<PingPongParameters, Endpoint> endpoint;

    Service(QpType type, Function<PingPongParameters, Endpoint> endpoint) {
        this.type = type;
        this.endpoint = endpoint;
    }
}
