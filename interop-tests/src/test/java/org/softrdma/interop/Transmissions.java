// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.pcap.PcapngReader;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.RoceFrame;

/** Times at which one sender's packets of one PSN appear in a capture. */
record Transmissions(List<Long> atNs) {

    /**
     * Reads them from a capture of RoCE v2 over IPv4.
     *
     * @param psn u24, of requests that one queue pair of the sender sent
     */
    static Transmissions of(Path capture, String sender, int opcode, int psn) throws IOException {
        int address = Gid.of(InetAddress.getByName(sender)).ipv4();
        PcapngReader reader = new PcapngReader(ByteBuffer.wrap(Files.readAllBytes(capture)));
        RoceFrame frame = new RoceFrame();
        List<Long> times = new ArrayList<>();
        while (reader.next()) {
            ByteBuffer b = reader.buffer();
            if (frame.dissect(b, reader.linkType(), reader.offset(), reader.length()) == RoceFrame.OK
                && Ipv4.source(b, frame.ipAt()) == address && Bth.opcode(b, frame.bthAt()) == opcode && Bth.psn(b, frame.bthAt()) == psn) {
                times.add(reader.timestampNs());
            }
        }
        return new Transmissions(times);
    }

    int count() {
        return atNs.size();
    }

    /** Intervals between them, in milliseconds. */
    List<Double> intervalsMs() {
        List<Double> intervals = new ArrayList<>();
        for (int i = 1; i < atNs.size(); i++) {
            intervals.add((atNs.get(i) - atNs.get(i - 1)) / 1e6);
        }
        return intervals;
    }
}
