// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.pingpong;

import org.softrdma.verbs.Mtu;

/**
 * Parameters of a ping-pong, with their defaults; {@link PingPongOptions} sets them. Numbers are the unsigned ints of the original: a size
 * of -1 is 4 GiB less one.
 */
final class PingPongParameters {
    final Service service;
    /** Host to connect to; null to be the server. */
    String server;
    /** TCP port of the address exchange. */
    int port = 18515;
    /** Name of the device; null for the first one. */
    String device;
    /** Port of the device, from 1. */
    int ibPort = 1;
    /** Bytes of a message. */
    int size;
    Mtu mtu = Mtu.MTU_1024;
    /** Number of connections; 1 unless they share their receives. */
    int queuePairs;
    /** Number of posted receives. */
    int rxDepth = 500;
    /** Number of exchanges. */
    int iterations = 1000;
    /** Service level, mapped to the priority of packets. */
    int serviceLevel;
    /** Sleep on completion events instead of polling. */
    boolean events;
    /** Index of the local GID; negative for none, which works on InfiniBand only. */
    int gidIndex = -1;
    /** Check the received data at the end. */
    boolean validate;
    /** Requests on-demand paging, which no soft device has. */
    boolean onDemandPaging;
    /** Requests completion timestamps, which no soft device has. */
    boolean timestamps;
    /** Requests device memory, which no soft device has. */
    boolean deviceMemory;
    /** Print only the result, as JSON. */
    boolean json;

    PingPongParameters(Service service) {
        this.service = service;
        // The default of the original for UD differs from its usage text.
        size = service == Service.UD ? 1024 : 4096;
        queuePairs = service == Service.SRQ ? 16 : 1;
    }

    boolean isClient() {
        return server != null;
    }
}
