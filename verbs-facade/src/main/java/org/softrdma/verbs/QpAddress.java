// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Address and abilities of one end of an RC or UC connection, which the other end must know. Programs exchange them out of band, for
 * example as text over a socket:
 *
 * <pre>{@code
 * QpAddress own = qp.init();
 * out.println(own);
 * qp.connect(own, QpAddress.parse(in.readLine()));
 * }</pre>
 *
 * @param gid   of the end's port
 * @param type  encapsulation of its packets; both ends must have the same
 * @param qpn   queue pair number, 24 bits
 * @param psn   first PSN that the end sends, 24 bits
 * @param mtu   largest path MTU that the end supports; the connection has the smaller one
 * @param reads RDMA READs and atomics that the end accepts at once, 0..255
 */
public record QpAddress(Gid gid, GidType type, int qpn, int psn, Mtu mtu, int reads) {
    /** READs and atomics accepted at once, unless the device has resources for fewer. */
    private static final int READS = 16;
    private static final Pattern TEXT = Pattern.compile("qpn 0x(\\p{XDigit}{1,6}), psn 0x(\\p{XDigit}{1,6}), mtu (\\d{3,4}), "
        + "reads (\\d{1,3}), (IB|IB/RoCE v1|RoCE v2) gid ([\\p{XDigit}:.]{2,45})");

    /** Returns the address of a queue pair on one of its device's GIDs. */
    static QpAddress of(QueuePair qp, GidEntry gid) {
        Context context = qp.pd().context();
        return new QpAddress(gid.gid(), gid.type(), qp.qpNum(), anyPsn(qp.qpNum(), nowNs(context)),
            context.queryPort(gid.port()).activeMtu(), Math.min(READS, context.queryDevice().maxQpRdAtom()));
    }

    /**
     * Chooses a PSN. Those of successive connections are far apart, so that a late packet of one is no packet of the next. On a simulated
     * network, where the clock shows virtual time, a run with the same seed has the same PSNs.
     */
    private static int anyPsn(int qpn, long nowNs) {
        long mixed = (nowNs ^ (long) qpn << 40) * 0x9e3779b97f4a7c15L;
        return (int) ((mixed ^ mixed >>> 32) * 0x9e3779b97f4a7c15L >>> 40);
    }

    private static long nowNs(Context context) {
        try {
            return context.rawClockNs();
        } catch (VerbsException unsupported) {
            return System.nanoTime();
        }
    }

    /**
     * Parses the text of {@link #toString}, and nothing else.
     *
     * @param text of a peer
     * @return the address
     * @throws IllegalArgumentException if the text has another form, or a number is out of its range
     */
    public static QpAddress parse(String text) {
        Matcher fields = TEXT.matcher(text);
        if (fields.matches()) {
            Mtu mtu = Mtu.ofBytes(Integer.parseInt(fields.group(3)));
            int reads = Integer.parseInt(fields.group(4));
            Gid gid = gid(fields.group(6));
            if (mtu != null && reads <= 255 && gid != null) {
                return new QpAddress(gid, type(fields.group(5)), Integer.parseInt(fields.group(1), 16),
                    Integer.parseInt(fields.group(2), 16), mtu, reads);
            }
        }
        throw new IllegalArgumentException("not the address of a queue pair, as in \"qpn 0x11, psn 0x5a17, mtu 1024, reads 16, "
            + "RoCE v2 gid ::ffff:10.0.0.1\": " + text);
    }

    private static GidType type(String text) {
        return Arrays.stream(GidType.values()).filter(each -> each.text().equals(text)).findFirst().orElseThrow();
    }

    /** Returns null if the text is no IP address; no name is looked up. */
    private static Gid gid(String text) {
        try {
            return Gid.of(InetAddress.ofLiteral(text));
        } catch (IllegalArgumentException other) {
            return null;
        }
    }

    /** One line, as {@link #parse} takes it. */
    @Override
    public String toString() {
        return "qpn 0x" + Integer.toHexString(qpn) + ", psn 0x" + Integer.toHexString(psn) + ", mtu " + mtu.bytes() + ", reads " + reads
            + ", " + type.text() + " gid " + gid;
    }
}
