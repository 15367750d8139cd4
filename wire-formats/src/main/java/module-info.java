// SPDX-License-Identifier: Apache-2.0

/** Packet and frame formats as static accessors over byte buffers: RoCE, communication management, MADs, IP, pcapng, iWARP. */
module org.softrdma.wire {
    exports org.softrdma.wire;
    exports org.softrdma.wire.cm;
    exports org.softrdma.wire.ib;
    exports org.softrdma.wire.ipoib;
    exports org.softrdma.wire.iwarp;
    exports org.softrdma.wire.mad;
    exports org.softrdma.wire.net;
    exports org.softrdma.wire.pcap;
    exports org.softrdma.wire.roce;
}
