// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.net.InetSocketAddress;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.cm.ConnectionParameters;

/**
 * A request received from a peer.
 *
 * @param service    requested service
 * @param type       service of the queue pairs: RC, UC or UD
 * @param local      requested address as the peer gave it, and the service's port; on iWARP those of the TCP connection
 * @param remote     address of the peer as the peer gave it; the port may be 0
 * @param parameters seen from this end: the peer's initiator depth is our responder resources. The queue pair number is that of the peer;
 *     the private data is the application's, without the transport's header, in the length that an event reports
 */
public record CmRequest(CmService service, QpType type, InetSocketAddress local, InetSocketAddress remote,
                        ConnectionParameters parameters) {
}
