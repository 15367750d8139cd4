// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs.cm;

import java.net.InetSocketAddress;
import org.softrdma.verbs.QpType;

/**
 * Addresses of a resolved name ({@code struct rdma_addrinfo}).
 *
 * @param passive     to listen, not to connect
 * @param qpType      service of the queue pair
 * @param portSpace   that the ports belong to
 * @param source      address to bind to; null to choose by the route to the destination
 * @param destination the peer; null if {@code passive}
 */
public record AddressInfo(boolean passive, QpType qpType, PortSpace portSpace, InetSocketAddress source, InetSocketAddress destination) {
}
