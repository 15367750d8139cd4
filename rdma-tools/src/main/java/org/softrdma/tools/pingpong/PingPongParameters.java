// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.pingpong;

import org.softrdma.verbs.Mtu;

/**
 * What a ping-pong was asked to do. Numbers are the unsigned ints of the original: a size of -1 is 4 GiB less one.
 *
 * @param service        what to play over
 * @param server         host to connect to; null to be the server
 * @param port           TCP port of the address exchange
 * @param device         null for the first there is
 * @param ibPort         port of the device, from 1
 * @param size           bytes of a message
 * @param queuePairs     connections played on at once; 1 unless they share their receives
 * @param rxDepth        receives kept posted
 * @param serviceLevel   goes into the packets' priority
 * @param events         sleep on completion events instead of polling
 * @param gidIndex       negative for none, which works on InfiniBand only
 * @param validate       check what arrived at the end
 * @param onDemandPaging asked for; no soft device has it
 * @param timestamps     asked for; no soft device has them
 * @param deviceMemory   asked for; no soft device has it
 * @param json           print nothing but the result, for a program to read
 */
record PingPongParameters(
    Service service, String server, int port, String device, int ibPort, int size, Mtu mtu, int queuePairs, int rxDepth, int iterations,
    int serviceLevel, boolean events, int gidIndex, boolean validate, boolean onDemandPaging, boolean timestamps, boolean deviceMemory,
    boolean json) {

    boolean isClient() {
        return server != null;
    }
}
