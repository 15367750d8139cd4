// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.device.sim.Simulation;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.link.sim.SimulatedFabric;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/**
 * Frames that one Linux 6.1 rxe sent to another, over UC and UD: ours accepts them as the other one did, and sends for the same work
 * requests the same bytes. The work requests and their completions are beside the recordings in interop-tests/lab/golden.
 */
class KernelFramesTest {
    private static final int PSN = 0x123456;
    private static final int QKEY = 0x11111111;
    private static final int FIRST_QPN = 0x11;
    private static final int DEADBEEF = 0xdeadbeef;

    private final SimulatedPair.Setup setup = new SimulatedPair.Setup();
    private final Simulation simulation = new Simulation(new SimulatedFabric(1, FaultPlan.NONE));

    /** Gives a device's first queue pair the number that the capture has. */
    private record Fixed(int qpn) implements RandomGenerator {
        @Override
        public int nextInt(int bound) {
            return (qpn - FIRST_QPN) % bound;
        }

        @Override
        public long nextLong() {
            throw new AssertionError("not asked for");
        }
    }

    private SimulatedPair.Side open(QpType type, ReplayLink link, Gid own, Gid peer, int qpn) {
        setup.type = type;
        setup.qkey = QKEY;
        SimulatedPair.Side side = new SimulatedPair.Side(SimulatedRxe.open(simulation, link, new Fixed(qpn), 9000), own, setup);
        assertEquals(qpn, side.qp.qpNum());
        SimulatedPair.connect(side, peer, qpn, setup, 0, PSN, PSN);
        return side;
    }

    /** Contents of the recorder's buffers: byte i is i modulo 251. */
    private static byte[] pattern(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i % 251);
        }
        return bytes;
    }

    @ParameterizedTest
    @CsvSource({
        "uc-send-2500, UC, 2500, false, ''",
        "uc-send-imm, UC, 33, true, ''",
        "ud-send, UD, 33, false, 0000000000000000000000000000000000000000450000582b2640004011fad00a4d00020a4d0003",
        "ud-send-imm, UD, 33, true, 00000000000000000000000000000000000000004500005c2b7640004011fa7c0a4d00020a4d0003",
        "ud-send-imm-v6, UD, 33, true, 6000000000481140fd770000000000000000000000000002fd770000000000000000000000000003"})
    void shouldTakeWhatTheKernelSent(String capture, QpType type, int length, boolean immediate, String grh) throws IOException {
        List<ReplayLink.Frame> frames = ReplayLink.capture(capture);
        ReplayLink.Frame first = frames.getFirst();
        ReplayLink link = new ReplayLink(first.to());
        int qpn = qpn(first);
        SimulatedPair.Side side = open(type, link, first.to(), first.from(), qpn);
        MemoryRegion memory = side.memory(4096, SimulatedPair.ALL_REMOTE);
        side.qp.postReceive(new ReceiveRequest().begin(1).element(memory, 0, 4096));

        link.replay(frames);
        side.engine().doWork(0);

        int grhBytes = grh.length() / 2;
        WorkCompletion got = side.receives().getFirst();
        assertEquals(List.of(WcStatus.SUCCESS, WcOpcode.RECV, grhBytes + length, WcFlags.GRH | (immediate ? WcFlags.WITH_IMM : 0)),
            List.of(got.status(), got.opcode(), got.byteLength(), got.flags()), () -> side.context.counters().toString());
        assertEquals(immediate ? DEADBEEF : 0, got.immediate());
        assertEquals(type == QpType.UD ? qpn : 0, got.sourceQp(), "both ends had the same number");
        assertEquals(grh, HexFormat.of().formatHex(memory.memory().asSlice(0, grhBytes).toArray(ValueLayout.JAVA_BYTE)));
        assertArrayEquals(pattern(length), memory.memory().asSlice(grhBytes, length).toArray(ValueLayout.JAVA_BYTE));
    }

    @ParameterizedTest
    @CsvSource({"uc-send-2500, UC, 2500, false", "uc-send-imm, UC, 33, true", "ud-send, UD, 33, false", "ud-send-imm, UD, 33, true",
        "ud-send-imm-v6, UD, 33, true"})
    void shouldSendWhatTheKernelSent(String capture, QpType type, int length, boolean immediate) throws IOException {
        List<ReplayLink.Frame> frames = ReplayLink.capture(capture);
        ReplayLink.Frame first = frames.getFirst();
        ReplayLink link = new ReplayLink(first.from());
        int qpn = qpn(first);
        SimulatedPair.Side side = open(type, link, first.from(), first.to(), qpn);
        MemoryRegion memory = side.memory(pattern(length));
        SendRequest wr = immediate ? new SendRequest().sendWithImmediate(DEADBEEF) : new SendRequest().send();
        if (type == QpType.UD) {
            // As it was recorded.
            wr.to(side.pd.createAh(AddressVector.to(first.to(), 1)), qpn, QKEY).solicited();
        }
        side.qp.postSend(wr.element(memory, 0, length).signaled());
        side.engine().doWork(0);

        assertEquals(frames.size(), link.sent.size());
        for (int i = 0; i < frames.size(); i++) {
            byte[] ours = link.sent.get(i);
            assertArrayEquals(frames.get(i).withoutIcrc(), Arrays.copyOf(ours, ours.length - 4), "packet " + i);
        }
        assertEquals(List.of(WcStatus.SUCCESS), side.sendStatuses());
    }

    private static int qpn(ReplayLink.Frame frame) {
        return (frame.bytes()[5] & 0xff) << 16 | (frame.bytes()[6] & 0xff) << 8 | frame.bytes()[7] & 0xff;
    }
}
