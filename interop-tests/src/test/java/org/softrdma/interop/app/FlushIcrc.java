// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop.app;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Icrc;

/**
 * The ICRC that rxe of Linux 6.12 gives to a FLUSH and expects of one: its table of opcodes does not say where the payload of a FLUSH,
 * which has none, would stand, so that it takes all from the BTH on for payload and covers it once more, the second time without a mask.
 */
public final class FlushIcrc {
    private FlushIcrc() {
    }

    /**
     * Of a packet from {@code bthAt} to {@code end}, before which stands what {@link Icrc#putIpv4Prefix} writes.
     *
     * @return the CRC as a number, for {@link Icrc#put}
     */
    public static int of(ByteBuffer b, int prefixAt, int bthAt, int end) {
        byte[] packet = new byte[end - bthAt];
        b.get(bthAt, packet);
        byte[] masked = packet.clone();
        masked[Bth.CONGESTION_OFFSET] = (byte) 0xff;
        byte[] prefix = new byte[bthAt - prefixAt];
        b.get(prefixAt, prefix);
        CRC32 crc = new CRC32();
        crc.update(prefix);
        crc.update(masked);
        crc.update(packet);
        return (int) crc.getValue();
    }
}
