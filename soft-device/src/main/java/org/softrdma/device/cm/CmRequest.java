// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.cm;

import java.net.InetSocketAddress;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.cm.ConnectionParameters;

/**
 * A peer's request.
 *
 * @param service    what it asked for
 * @param type       service of the queue pairs: RC, UC or UD
 * @param local      whom it asked for: an address as the peer gave it, and the service's port. On iWARP the TCP connection's
 * @param remote     who asks, as the peer gave it; the port may be 0
 * @param parameters seen from this end: the peer's initiator depth is our responder resources. The queue pair number is the peer's, the
 *     private data the application's: without the transport's own header, with the length an event reports
 */
public record CmRequest(CmService service, QpType type, InetSocketAddress local, InetSocketAddress remote,
                        ConnectionParameters parameters) {
}
