// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.sim;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import org.softrdma.verbs.Gid;

/**
 * An independent ICRC after IBA annexes A16 and A17, without any production code, for comparison in tests and the simulator.
 * Identification 0, DF, destination port 4791.
 */
public final class PlainIcrc {
    private PlainIcrc() {
    }

    /**
     * Computes the ICRC.
     *
     * @param from       address of the sender
     * @param to         address of the receiver
     * @param sourcePort of UDP, u16
     * @param packet     has the packet at absolute offsets
     * @param offset     of the BTH
     * @param length     bytes from BTH to ICRC
     * @return its value; the packet ends with it, least significant byte first
     */
    public static int of(Gid from, Gid to, int sourcePort, ByteBuffer packet, int offset, int length) {
        boolean ipv4 = from.isIpv4Mapped();
        int udpLength = 8 + length;
        ByteBuffer masked = ByteBuffer.allocate(8 + (ipv4 ? 20 : 40) + 8 + 12);
        masked.putLong(-1L);
        if (ipv4) {
            masked.put((byte) 0x45).put((byte) 0xff).putShort((short) (20 + udpLength)).putShort((short) 0).putShort((short) 0x4000)
                .put((byte) 0xff).put((byte) 17).putShort((short) 0xffff).putInt(from.ipv4()).putInt(to.ipv4());
        } else {
            masked.putInt(0x6fffffff).putShort((short) udpLength).put((byte) 17).put((byte) 0xff)
                .putLong(from.high()).putLong(from.low()).putLong(to.high()).putLong(to.low());
        }
        masked.putShort((short) sourcePort).putShort((short) 4791).putShort((short) udpLength).putShort((short) 0xffff);
        int bth = masked.position();
        masked.put(bth, packet, offset, 12).put(bth + 4, (byte) 0xff);
        CRC32 crc = new CRC32();
        crc.update(masked.array());
        ByteBuffer rest = packet.duplicate();
        rest.limit(offset + length - 4).position(offset + 12);
        crc.update(rest);
        return (int) crc.getValue();
    }

    /**
     * Reads the ICRC at the end of a packet.
     *
     * @param packet has the packet at absolute offsets
     * @param offset of the BTH
     * @param length bytes from BTH to ICRC
     * @return its value
     */
    public static int stored(ByteBuffer packet, int offset, int length) {
        return Integer.reverseBytes(packet.getInt(offset + length - 4));
    }
}
