// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.softrdma.interop.app.FlushIcrc;
import org.softrdma.wire.cm.CmCheck;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.cm.CmRej;
import org.softrdma.wire.cm.CmSidrRep;
import org.softrdma.wire.mad.Mad;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Ipv6;
import org.softrdma.wire.net.Udp;
import org.softrdma.wire.pcap.PcapngReader;
import org.softrdma.wire.roce.Aeth;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Deth;
import org.softrdma.wire.roce.Icrc;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.PacketCheck;
import org.softrdma.wire.roce.Reth;
import org.softrdma.wire.roce.RoceFrame;
import org.softrdma.wire.roce.Syndrome;

/** Summary of a capture of the lab's tap, by sender: {@link #OURS} or {@link #KERNEL}. */
final class CaptureReport {
    static final int OURS = 0;
    static final int KERNEL = 1;
    static final String[] SENDERS = {"ours", "the kernel"};
    private static final int OUR_IPV4 = 0x0a4d0001;
    private static final long OUR_IPV6_LOW = 1;
    private static final int DEFECTS_KEPT = 10;
    /** Source port of the datagrams that the violation table sends past its queue pairs. */
    private static final int RAW_PORT = 50000;
    /**
     * Shortest legitimate interval before a repeat without a NAK: no ACK timeout is shorter than 4 ms, less the delay between our clock
     * and the wire.
     */
    private static final long EARLIEST_REPEAT_NS = 3_000_000;

    /** Management class of ibping's datagrams. */
    static final int PING_CLASS = 0x32;
    /** Bytes of a packet to the GSI besides the MAD. */
    private static final int GSI_OVERHEAD = Bth.LENGTH + Deth.LENGTH + Icrc.LENGTH;

    private final int[] packets = new int[2];
    private final List<TreeMap<Integer, Integer>> opcodes = List.of(new TreeMap<>(), new TreeMap<>());
    private final List<TreeMap<Integer, Integer>> syndromes = List.of(new TreeMap<>(), new TreeMap<>());
    private final List<TreeMap<String, Integer>> messages = List.of(new TreeMap<>(), new TreeMap<>());
    /**
     * PSNs of packets to the GSI, by UDP source port: a device has one. What a process of ours says on behalf of one that was killed comes
     * from another, with PSNs of its own.
     */
    private final List<TreeMap<Integer, TreeSet<Integer>>> managementPsns = List.of(new TreeMap<>(), new TreeMap<>());
    private final List<ReadRanges> reads = List.of(new ReadRanges(), new ReadRanges());
    private final int[] repeated = new int[2];
    private final int[] bursts = new int[2];
    private final List<Map<Long, Long>> firstSeenNs = List.of(new HashMap<>(), new HashMap<>());
    private final boolean[] repeating = new boolean[2];
    private final long[] nakSeenNs = new long[2];
    private final List<String> defects = new ArrayList<>();
    private final List<String> hasty = new ArrayList<>();
    private int defectCount;
    private int raw;
    private int highestId;

    private CaptureReport() {
    }

    /** Reads a capture. */
    static CaptureReport of(Path capture) throws IOException {
        try (FileChannel file = FileChannel.open(capture)) {
            return of(file.map(FileChannel.MapMode.READ_ONLY, 0, file.size()));
        }
    }

    /**
     * Reads a capture from memory.
     *
     * @param file a complete capture file, from position 0 to the limit
     */
    static CaptureReport of(ByteBuffer file) {
        CaptureReport report = new CaptureReport();
        report.read(file);
        return report;
    }

    private void read(ByteBuffer file) {
        PcapngReader reader = new PcapngReader(file);
        RoceFrame frame = new RoceFrame();
        Icrc icrc = new Icrc();
        for (int number = 1; reader.next(); number++) {
            ByteBuffer b = reader.buffer();
            int verdict = frame.dissect(b, reader.linkType(), reader.offset(), reader.length());
            if (verdict != RoceFrame.OK) {
                defect(number, "is not RoCE: " + RoceFrame.name(verdict));
                continue;
            }
            int sender = isOurs(b, frame) ? OURS : KERNEL;
            if (Udp.sourcePort(b, frame.udpAt()) == RAW_PORT) {
                raw++;          // wrong on purpose
                continue;
            }
            packets[sender]++;
            int bth = frame.bthAt();
            if (sender == OURS && frame.version() == RoceFrame.VERSION_2_IPV4) {
                highestId = Math.max(highestId, Ipv4.id(b, frame.ipAt()));
            }
            int check = PacketCheck.verdict(b, bth, frame.packetLength());
            if (check != PacketCheck.OK) {
                defect(number, "of " + SENDERS[sender] + ": " + PacketCheck.name(check));
                continue;
            }
            int opcode = Bth.opcode(b, bth);
            boolean kernelsFlush = sender == KERNEL && opcode == Opcode.RC_FLUSH;
            if (Icrc.get(b, frame.end()) != (kernelsFlush ? icrcOfKernelsFlush(b, frame) : frame.computeIcrc(b, icrc))) {
                defect(number, "of " + SENDERS[sender] + " has a wrong ICRC");
            }
            opcodes.get(sender).merge(opcode, 1, Integer::sum);
            if (opcode == Opcode.UD_SEND_ONLY && Bth.destQp(b, bth) == Mad.GSI_QPN) {
                managementPsns.get(sender).computeIfAbsent(Udp.sourcePort(b, frame.udpAt()), _ -> new TreeSet<>()).add(Bth.psn(b, bth));
                message(number, sender, b, bth + Bth.LENGTH + Deth.LENGTH, frame.packetLength() - GSI_OVERHEAD);
            }
            if (Opcode.has(opcode, Opcode.AETH)) {
                int syndrome = Aeth.syndrome(b, bth + Opcode.aethOffset(opcode));
                syndromes.get(sender).merge(syndrome, 1, Integer::sum);
                if (!Syndrome.isAck(syndrome)) {
                    nakSeenNs[sender] = reader.timestampNs();
                }
            }
            if (Opcode.has(opcode, Opcode.REQUEST)) {
                request(number, sender, b, bth, reader.timestampNs());
            } else if (Opcode.has(opcode, Opcode.READ_RESPONSE) && !Opcode.has(opcode, Opcode.END)) {
                reads.get(1 - sender).onResponse(frame.packetLength() - Opcode.headerLength(opcode) - Icrc.LENGTH);
            }
        }
    }

    /**
     * Computes the ICRC that kernel rxe gives to a FLUSH, IPv4 only. A kernel that computes the correct ICRC is reported as a defect too,
     * so that the tests show when such a kernel appears.
     */
    private static int icrcOfKernelsFlush(ByteBuffer b, RoceFrame frame) {
        int bthAt = Icrc.IPV4_PREFIX_LENGTH;
        int length = frame.end() - frame.bthAt();
        ByteBuffer copy = ByteBuffer.allocate(bthAt + length);
        copy.put(bthAt, b, frame.bthAt(), length);
        int prefixAt = Icrc.putIpv4Prefix(copy, bthAt, Ipv4.source(b, frame.ipAt()), Ipv4.destination(b, frame.ipAt()),
            Ipv4.id(b, frame.ipAt()), true, Udp.sourcePort(b, frame.udpAt()), Udp.DEST_PORT_ROCE, length + Icrc.LENGTH);
        return FlushIcrc.of(copy, prefixAt, bthAt, bthAt + length);
    }

    /**
     * Records a request. A request is repeated when its PSN is, since no other request has that PSN: the response of a READ occupies the
     * PSNs after the READ's own. A request for the rest of a READ is therefore a repeat, too. It always has a reason, a response received
     * after a gap, which is not checked here.
     */
    private void request(int number, int sender, ByteBuffer b, int bth, long nowNs) {
        int destQp = Bth.destQp(b, bth);
        int psn = Bth.psn(b, bth);
        int opcode = Bth.opcode(b, bth);
        boolean rest = reads.get(sender).isInside(destQp, psn);
        if (!rest && Opcode.has(opcode, Opcode.READ_REQUEST)) {
            reads.get(sender).onRead(destQp, psn, Reth.length(b, bth + Opcode.rethOffset(opcode)));
        }
        Long firstNs = firstSeenNs.get(sender).putIfAbsent((long) destQp << 32 | psn, nowNs);
        if (firstNs == null && !rest) {
            repeating[sender] = false;
            return;
        }
        repeated[sender]++;
        if (!repeating[sender]) {
            bursts[sender]++;
            repeating[sender] = true;
            // The kernel's timer works differently: it runs from the last response, regardless of when the request was sent.
            if (!rest && sender == OURS && nowNs - firstNs < EARLIEST_REPEAT_NS && nakSeenNs[KERNEL] < firstNs) {
                hasty.add("packet " + number + " of ours is repeated without reason, " + (nowNs - firstNs) / 1_000
                    + " us after the first time");
            }
        }
    }

    private void message(int number, int sender, ByteBuffer b, int mad, int length) {
        if (length == Mad.LENGTH && Mad.managementClass(b, mad) == PING_CLASS) {
            messages.get(sender).merge("PING " + Integer.toHexString(Mad.method(b, mad)), 1, Integer::sum);
            return;
        }
        int verdict = CmCheck.verdict(b, mad, length);
        if (verdict != CmCheck.OK) {
            defect(number, "of " + SENDERS[sender] + " to the GSI: " + CmCheck.name(verdict));
            return;
        }
        int attribute = Mad.attribute(b, mad);
        String name = CmMessage.name(attribute) + switch (attribute) {
            case CmMessage.REJ -> " " + CmRej.REASON.get(b, mad);
            case CmMessage.SIDR_REP -> " " + CmSidrRep.STATUS.get(b, mad);
            default -> "";
        };
        messages.get(sender).merge(name, 1, Integer::sum);
    }

    private static boolean isOurs(ByteBuffer b, RoceFrame frame) {
        return frame.version() == RoceFrame.VERSION_2_IPV4 ? Ipv4.source(b, frame.ipAt()) == OUR_IPV4
            : Ipv6.sourceLow(b, frame.ipAt()) == OUR_IPV6_LOW;
    }

    private void defect(int number, String what) {
        defectCount++;
        if (defects.size() < DEFECTS_KEPT) {
            defects.add("packet " + number + " " + what);
        }
    }

    int packets(int sender) {
        return packets[sender];
    }

    /** Number of times a sender went back, after a timeout or a NAK. */
    int bursts(int sender) {
        return bursts[sender];
    }

    /** Number of requests sent more than once; a request for the rest of a READ counts too. */
    int repeated(int sender) {
        return repeated[sender];
    }

    Set<Integer> opcodes(int sender) {
        return opcodes.get(sender).keySet();
    }

    /** Messages of the connection manager, as "REQ" or, with reason or status, "REJ 8" and "SIDR_REP 0". */
    Set<String> messages(int sender) {
        return messages.get(sender).keySet();
    }

    /**
     * Number of management datagrams of a sender missing from the capture, derived from their PSNs: a device begins with 0. Losses after
     * the last captured one are not counted.
     */
    int lostMessages(int sender) {
        return managementPsns.get(sender).values().stream().mapToInt(psns -> psns.last() + 1 - psns.size()).sum();
    }

    /** Whether a packet train of ours was seen: IP identifications that count up, as the kernel numbers the segments it cuts. IPv4 only. */
    boolean isOursInTrains() {
        return highestId > 0;
    }

    /** Invalid frames: not RoCE, a length that does not fit, a wrong ICRC. */
    List<String> defects() {
        return defects;
    }

    /** Repeats of ours without a reason: neither a NAK nor a long enough silence before them. */
    List<String> hasty() {
        return hasty;
    }

    int defectCount() {
        return defectCount;
    }

    /** NAKs sent by one side, sequence errors and RNR included. */
    int naks(int sender) {
        return syndromes.get(sender).entrySet().stream().filter(each -> !Syndrome.isAck(each.getKey())).mapToInt(Map.Entry::getValue).sum();
    }

    /** Answer of a sender, for the violation table: "NAK 0x61", "RNR NAK", several of these, "ACK" or "no answer". */
    String answer(int sender) {
        Set<String> answers = new TreeSet<>();
        for (int syndrome : syndromes.get(sender).keySet()) {
            if (Syndrome.isRnr(syndrome)) {
                answers.add("RNR NAK");
            } else if (!Syndrome.isAck(syndrome)) {
                answers.add(String.format("NAK 0x%02x", syndrome));
            }
        }
        if (answers.isEmpty()) {
            return syndromes.get(sender).isEmpty() ? "no answer" : "ACK";
        }
        return String.join(", ", answers);
    }

    /** Human-readable summary by sender. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int sender = OURS; sender <= KERNEL; sender++) {
            text.append(SENDERS[sender]).append(": ").append(packets[sender]).append(" packets, ").append(repeated[sender])
                .append(" requests repeated in ").append(bursts[sender]).append(" bursts");
            opcodes.get(sender).forEach((opcode, count) -> text.append("\n  ").append(count).append(" x ").append(Opcode.name(opcode)));
            syndromes.get(sender).forEach((syndrome, count) -> text.append("\n  ").append(count).append(" x AETH ")
                .append(Syndrome.name(syndrome)));
            messages.get(sender).forEach((message, count) -> text.append("\n  ").append(count).append(" x ").append(message));
            text.append('\n');
        }
        text.append(raw).append(" datagrams past the queue pairs\n").append(defectCount).append(" defects\n");
        defects.forEach(each -> text.append("  ").append(each).append('\n'));
        hasty.forEach(each -> text.append("  ").append(each).append('\n'));
        return text.toString();
    }
}
