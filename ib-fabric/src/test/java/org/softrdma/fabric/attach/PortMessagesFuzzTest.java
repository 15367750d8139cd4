// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.attach;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Icrc;

/** Any bytes as a packet between a fabric and a process: the BTH that is found has room, and an ICRC behind it. */
class PortMessagesFuzzTest {
    @FuzzTest(maxDuration = "5m")
    void shouldFindTheBthWithinThePacket(byte[] bytes) {
        int bthAt = PortMessages.bthAt(ByteBuffer.wrap(bytes), 0, bytes.length);
        if (bthAt != -1 && (bthAt < 0 || bthAt + Bth.LENGTH + Icrc.LENGTH > bytes.length)) {
            throw new IllegalStateException("BTH at " + bthAt + " of " + bytes.length);
        }
    }
}
