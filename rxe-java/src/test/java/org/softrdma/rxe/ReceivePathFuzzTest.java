// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.softrdma.link.sim.PlainIcrc;
import org.softrdma.verbs.QpType;

/**
 * Arbitrary bytes at the receive path of a queue pair of each service, first unchanged, then with a correct ICRC and for a queue pair that
 * exists, so that they pass the edge. Inside {@code mvn verify} it replays its seeds (regression mode); searching is described in
 * wire-formats' {@code WireFuzzTest}.
 */
class ReceivePathFuzzTest {
    private static final int BTH_BYTES = 12;
    private static final int ICRC_BYTES = 4;
    private static final int LONGEST = 4096;

    @FuzzTest(maxDuration = "5m")
    void shouldSurviveAnyBytes(byte[] bytes) {
        for (QpType service : QpType.values()) {
            shouldSurvive(bytes, new BadInput(service));
        }
    }

    private static void shouldSurvive(byte[] bytes, BadInput input) {
        input.fire(bytes);
        // Several packets of one input: each begins with its length, two bytes.
        ByteBuffer all = ByteBuffer.wrap(bytes);
        while (all.remaining() > 2 + BTH_BYTES) {
            int length = Math.min(all.getShort() & LONGEST - 1, all.remaining());
            byte[] packet = new byte[Math.max(length, BTH_BYTES)];
            all.get(packet, 0, length);
            input.fire(sealed(input, packet));
        }
        input.check();
    }

    /** Turns any bytes into a packet for our queue pair, near the PSNs it expects, complete and with a valid ICRC. */
    private static byte[] sealed(BadInput input, byte[] packet) {
        ByteBuffer bytes = ByteBuffer.wrap(Arrays.copyOf(packet, packet.length + ICRC_BYTES));
        bytes.put(1, (byte) (bytes.get(1) & 0xf0)).putShort(2, (short) 0xffff);
        bytes.putInt(4, input.peer.side.qp.qpNum());
        int transport = bytes.get(0) & 0xe0;
        int operation = bytes.get(0) & 0x1f;
        boolean response = (transport == 0 || transport == RawPacket.XRC)
            && operation >= RawPacket.READ_FIRST && operation <= RawPacket.ATOMIC_ACK;
        int psn = (response ? RawPeer.THEIR_PSN : RawPeer.OUR_PSN) + (bytes.get(11) & 15) - 4;
        bytes.putInt(8, bytes.get(8) << 24 & 0x80000000 | psn & 0xffffff);
        if (bytes.get(0) >> 5 == RawPacket.UD_SEND >> 5 && bytes.capacity() >= BTH_BYTES + Integer.BYTES + ICRC_BYTES) {
            bytes.putInt(BTH_BYTES, BadInput.QKEY);
        }
        if (transport == RawPacket.XRC && !response && bytes.capacity() >= BTH_BYTES + Integer.BYTES + ICRC_BYTES) {
            // The one shared receive queue there is has number 1.
            bytes.putInt(BTH_BYTES, bytes.get(BTH_BYTES + 3) & 1);
        }
        int icrc = PlainIcrc.of(input.peer.gid(), input.peer.side.gid, input.peer.sourcePort(), bytes, 0, bytes.capacity());
        return bytes.putInt(bytes.capacity() - ICRC_BYTES, Integer.reverseBytes(icrc)).array();
    }
}
