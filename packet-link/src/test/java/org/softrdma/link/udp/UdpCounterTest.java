// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.softrdma.device.Counters;
import org.softrdma.link.Link;
import org.softrdma.link.ReceivedFrame;

/** Each counter of the UDP links is provoked, and read by its name. */
class UdpCounterTest extends UdpLinkCase {
    @ParameterizedTest
    @EnumSource
    void shouldCountEachReasonByName(Kind kind) throws IOException {
        for (UdpCounter reason : UdpCounter.values()) {
            Link link = open(kind, BOB);
            provoke(reason);
            Counters<UdpCounter> expected = new Counters<>(UdpCounter.class);
            expected.count(reason);
            pollUntilDropped(link);
            assertEquals(expected.toMap(), link.counters());
            link.close();
        }
    }

    /** A new counter needs a case here. */
    private void provoke(UdpCounter reason) throws IOException {
        switch (reason) {
            case FRAME_TOO_LONG -> sendToBob(ReceivedFrame.MAX_PACKET_BYTES + 1);
        }
    }

    private void sendToBob(int bytes) throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.send(new DatagramPacket(new byte[bytes], bytes, BOB.toInetAddress(), port));
        }
    }

    private static void pollUntilDropped(Link link) {
        long deadlineNs = System.nanoTime() + DEADLINE_NS;
        while (link.poll(frame -> {
            throw new AssertionError("delivered " + frame.length() + " bytes");
        }, 1) == 0 && System.nanoTime() - deadlineNs < 0) {
            link.await(1_000_000);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldNameEveryCounterFromTheStart(Kind kind) {
        Map<String, Long> counters = open(kind, BOB).counters();
        assertEquals(Arrays.stream(UdpCounter.values()).map(each -> each.name().toLowerCase(Locale.ROOT)).toList(),
            counters.keySet().stream().toList());
    }
}
