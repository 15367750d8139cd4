// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.interop.InteropCase.IpVersion;

/** Which streams may end within a frame. */
class IwarpReportTest {
    private final List<String> packets = new ArrayList<>();

    /** Adds a packet of stream 1 with a frame of 1,000 bytes, which are a ULPDU of 994, and further bytes of the next frame. */
    private void frame(String from, int further) {
        packet(from, 1000 + further, 0, "994");
    }

    private void reset(String from) {
        packet(from, 0, 1, "");
    }

    private void packet(String from, int bytes, int reset, String ulpdu) {
        packets.add(String.join("|", Integer.toString(packets.size() + 1), "1", from, "", Integer.toString(bytes), "",
            Integer.toString(reset), "", "", "", "", ulpdu, "", "", ""));
    }

    private List<String> defects() {
        return IwarpReport.of(packets, false).defects();
    }

    @Test
    void shouldMissTheRestOfAFrame() {
        frame(IpVersion.IPV4.host, 0);
        assertEquals(List.of(), defects());
        frame(IpVersion.IPV4.host, 300);
        assertEquals(List.of("stream 1 of ours: 2000 of 2300 bytes were decoded"), defects());
    }

    @Test
    void shouldNotMissWhatTheReceiverDidNotTake() {
        frame(IpVersion.IPV4.host, 300);
        reset(IpVersion.IPV4.guest);
        assertEquals(List.of(), defects());
    }

    @ParameterizedTest
    @CsvSource({"300, false", "70000, true"})
    void shouldMissTheRestOfAStreamThatItsSenderReset(int further, boolean byReceiver) {
        frame(IpVersion.IPV4.host, further);
        reset(byReceiver ? IpVersion.IPV4.guest : IpVersion.IPV4.host);
        assertEquals(1, defects().size());
    }
}
