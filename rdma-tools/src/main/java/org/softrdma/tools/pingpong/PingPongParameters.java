// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.pingpong;

import org.softrdma.verbs.Mtu;

/**
 * Parameters of a ping-pong. Numbers are the unsigned ints of the original: a size of -1 is 4 GiB less one.
 *
 * @param service        transport service
 * @param server         host to connect to; null to be the server
 * @param port           TCP port of the address exchange
 * @param device         null for the first one
 * @param ibPort         port of the device, from 1
 * @param size           bytes of a message
 * @param queuePairs     number of connections; 1 unless they share their receives
 * @param rxDepth        number of posted receives
 * @param iterations     number of exchanges
 * @param serviceLevel   mapped to the priority of packets
 * @param events         sleep on completion events instead of polling
 * @param gidIndex       negative for none, which works on InfiniBand only
 * @param validate       check the received data at the end
 * @param onDemandPaging requested; no soft device has it
 * @param timestamps     requested; no soft device has them
 * @param deviceMemory   requested; no soft device has it
 * @param json           print only the result, as JSON
 */
record PingPongParameters(
    Service service, String server, int port, String device, int ibPort, int size, Mtu mtu, int queuePairs, int rxDepth, int iterations,
    int serviceLevel, boolean events, int gidIndex, boolean validate, boolean onDemandPaging, boolean timestamps, boolean deviceMemory,
    boolean json) {

    boolean isClient() {
        return server != null;
    }
}
