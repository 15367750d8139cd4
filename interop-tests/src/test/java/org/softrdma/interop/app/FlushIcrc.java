// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop.app;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Icrc;

/**
 * The ICRC that rxe of Linux 6.12 computes and expects for a FLUSH. Its opcode table lacks the payload offset of a FLUSH, which has no
 * payload, so that rxe takes everything from the BTH on for payload and covers it a second time, then without a mask.
 */
public final class FlushIcrc {
    private FlushIcrc() {
    }

    /**
     * Computes the CRC of a packet from {@code bthAt} to {@code end}, preceded by the output of {@link Icrc#putIpv4Prefix}.
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
