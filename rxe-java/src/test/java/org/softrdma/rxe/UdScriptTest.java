// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.softrdma.rxe.RawPeer.MS;
import static org.softrdma.rxe.RawPeer.OUR_PSN;
import static org.softrdma.rxe.RawPeer.THEIR_PSN;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.WrOpcode;

/** Datagrams, packet by packet: headers, Q_Keys, the 40 bytes before them, address handles. IBA vol 1 §9.8.3. */
class UdScriptTest {
    private static final int GRH = 40;
    private static final int QKEY = 0x11111111;
    private static final int PORT_MTU = 4096;

    private final SimulatedPair.Setup setup = new SimulatedPair.Setup();
    private final SendRequest wr = new SendRequest();
    private final ReceiveRequest recv = new ReceiveRequest();
    private RawPeer peer;
    private MemoryRegion memory;
    private AddressHandle handle;

    private void open(int receives, int receiveBytes) {
        setup.type = QpType.UD;
        setup.qkey = QKEY;
        peer = new RawPeer(setup);
        memory = peer.side.memory(1 << 16, SimulatedPair.ALL_REMOTE);
        handle = peer.side.pd.createAh(AddressVector.to(peer.gid(), 1));
        for (int i = 0; i < receives; i++) {
            peer.side.qp.postReceive(recv.begin(i).element(memory, (long) i * receiveBytes, receiveBytes));
        }
    }

    private static RawPacket datagram(int psn) {
        return RawPacket.of(RawPacket.UD_SEND, OUR_PSN + psn).deth(QKEY, 0xabcdef);
    }

    private List<String> receives() {
        return peer.side.receives().stream().map(wc -> wc.wrId() + " " + wc.status() + (wc.isSuccess() ? " " + wc.byteLength() : ""))
            .toList();
    }

    private byte[] bytes(int at, int length) {
        return memory.memory().asSlice(at, length).toArray(ValueLayout.JAVA_BYTE);
    }

    private void refused(Errno errno, String verb, String why, Runnable call) {
        VerbsException refused = assertThrows(VerbsException.class, call::run);
        assertEquals(List.of(errno, verb), List.of(refused.errno(), refused.verb()), refused.getMessage());
        assertTrue(refused.getMessage().contains(why), refused.getMessage());
    }

    // ---------------------------------------------------------------- sending

    @Test
    void shouldSendOnePacketAMessageWithItsKeyAndItsNumber() {
        open(0, 0);
        for (int i = 0; i < 100; i++) {
            memory.memory().set(ValueLayout.JAVA_BYTE, i, (byte) (i + 1));
        }
        peer.side.qp.postSend(wr.send().wrId(1).element(memory, 0, 33).element(memory, 33, 6).to(handle, 0x123456, 0x77).signaled()
            .solicited());
        peer.side.qp.postSend(wr.sendWithImmediate(0xfeedface).wrId(2).to(handle, 0xffffff, QKEY).signaled());
        peer.side.qp.postSend(wr.send().wrId(3).inlineData(memory.memory().asSlice(0, 5)).to(handle, 0x11, QKEY));

        RawPacket first = peer.expect(RawPacket.UD_SEND, THEIR_PSN);
        assertEquals(List.of(0x123456, 0x77, peer.side.qp.qpNum()), List.of(first.destQpn(), first.qkey(), first.sourceQpn()));
        assertArrayEquals(bytes(0, 39), first.payload());
        assertTrue(first.isSolicited());
        assertFalse(first.asksForAck());
        RawPacket second = peer.expect(RawPacket.UD_SEND_IMM, THEIR_PSN + 1);
        assertFalse(second.isSolicited());
        assertEquals(List.of(0xffffff, QKEY, 0xfeedface, 0),
            List.of(second.destQpn(), second.qkey(), second.immediate(), second.payload().length));
        assertArrayEquals(new byte[] {1, 2, 3, 4, 5}, peer.expect(RawPacket.UD_SEND, THEIR_PSN + 2).payload());
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("1 SUCCESS SEND", "2 SUCCESS SEND"),
            peer.side.sends().stream().map(wc -> wc.wrId() + " " + wc.status() + " " + wc.opcode()).toList());
    }

    /** IBA vol 1 §10.2.5: the highest bit makes a key a controlled one, which only the queue pair itself can have. */
    @ParameterizedTest
    @ValueSource(ints = {0x80000000, 0xffffffff, 0x80010000})
    void shouldSendTheQueuePairsKeyWhereAControlledOneIsNamed(int asked) {
        open(0, 0);
        peer.side.qp.postSend(wr.send().to(handle, 1, asked));
        assertEquals(QKEY, peer.expect().qkey());
        peer.side.qp.postSend(wr.send().to(handle, 1, asked & 0x7fffffff));
        assertEquals(asked & 0x7fffffff, peer.expect().qkey(), "its twin without that bit");
    }

    @Test
    void shouldSendAsMuchAsThePortCarriesAndNotAByteMore() {
        open(0, 0);
        peer.side.qp.postSend(wr.send().wrId(1).element(memory, 0, PORT_MTU).to(handle, 1, QKEY).signaled());
        assertEquals(PORT_MTU, peer.expect().payload().length);
        peer.side.qp.postSend(wr.send().wrId(2).element(memory, 0, PORT_MTU + 1).to(handle, 1, QKEY).signaled());
        peer.side.qp.postSend(wr.send().wrId(3).element(memory, 0, 8).to(handle, 1, QKEY));
        peer.expectNothingFor(MS);
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.LOC_LEN_ERR, WcStatus.WR_FLUSH_ERR), peer.side.sendStatuses());
        assertEquals(QpState.SQE, peer.side.qp.state());
        peer.side.qp.modify(new QpAttributes().state(QpState.RTS).qkey(5));
        peer.side.qp.postSend(wr.send().wrId(4).element(memory, 0, 8).to(handle, 1, 0x80000000).signaled());
        assertEquals(5, peer.expect(RawPacket.UD_SEND, THEIR_PSN + 1).qkey());
    }

    /** More than one turn of packets: mckey posts its datagrams and ends. */
    @Test
    void shouldSendWhatWasPostedBeforeItIsDestroyed() {
        setup.queueDepth = 200;
        open(0, 0);
        for (int i = 0; i < 150; i++) {
            peer.side.qp.postSend(wr.send().element(memory, i, 8).to(handle, 1, QKEY));
        }
        peer.side.qp.close();
        for (int i = 0; i < 150; i++) {
            peer.expect(RawPacket.UD_SEND, THEIR_PSN + i);
        }
        peer.expectNothingFor(MS);
    }

    @Test
    void shouldFailWhatCannotBeRead() {
        open(0, 0);
        peer.side.qp.postSend(wr.send().wrId(1).element(memory.address(), 8, memory.lkey() ^ 1).to(handle, 1, QKEY).signaled());
        peer.expectNothingFor(MS);
        assertEquals(List.of(WcStatus.LOC_PROT_ERR), peer.side.sendStatuses());
    }

    @ParameterizedTest
    @EnumSource(names = {"SEND", "SEND_WITH_IMM"}, mode = EnumSource.Mode.EXCLUDE)
    void shouldRefuseEverythingButSends(WrOpcode opcode) {
        open(0, 0);
        refused(Errno.EINVAL, "post_send", "not an operation of UD", () -> peer.side.qp.postSend(wr.begin(opcode).to(handle, 1, 1)));
    }

    @Test
    void shouldSendWhatWasPostedBeforeItsHandleWasClosed() {
        open(0, 0);
        peer.side.qp.postSend(wr.send().wrId(1).element(memory, 0, 8).to(handle, 1, QKEY).signaled());
        handle.close();
        peer.expect(RawPacket.UD_SEND, THEIR_PSN);
        assertEquals(List.of(WcStatus.SUCCESS), peer.side.sendStatuses());
    }

    // ---------------------------------------------------------------- address handles

    @Test
    void shouldRefuseAddressVectorsThatLeadNowhere() {
        open(0, 0);
        ProtectionDomain pd = peer.side.pd;
        Gid there = peer.gid();
        refused(Errno.EINVAL, "create_ah", "port 2", () -> pd.createAh(new AddressVector(there, 1, 0, 64, 0, 0, 2)));
        refused(Errno.EINVAL, "create_ah", "sgid_index 9", () -> pd.createAh(AddressVector.to(there, 9)));
        refused(Errno.EINVAL, "create_ah", "global route", () -> pd.createAh(AddressVector.to(Gid.ZERO, 1)));
        refused(Errno.EINVAL, "create_ah", "one is IPv4", () -> pd.createAh(AddressVector.to(new Gid(0xfd00L << 48, 5), 1)));
        refused(Errno.EHOSTUNREACH, "resolve_route", "no link has", () -> pd.createAh(AddressVector.to(Gid.ofIpv4(0x0a0000ee), 1)));
        pd.createAh(AddressVector.to(there, 1)).close();
        assertEquals(there, handle.vector().dgid());
    }

    @Test
    void shouldHoldAsManyHandlesAsItSays() {
        open(0, 0);
        int max = peer.side.context.queryDevice().maxAh();
        List<AddressHandle> all = new ArrayList<>(List.of(handle));
        while (all.size() < max) {
            all.add(peer.side.pd.createAh(AddressVector.to(peer.gid(), 1)));
        }
        refused(Errno.ENOMEM, "create_ah", String.valueOf(max), () -> peer.side.pd.createAh(AddressVector.to(peer.gid(), 1)));
        all.getLast().close();
        all.getLast().close();
        peer.side.pd.createAh(AddressVector.to(peer.gid(), 1));
        refused(Errno.ENOMEM, "create_ah", String.valueOf(max), () -> peer.side.pd.createAh(AddressVector.to(peer.gid(), 1)));
    }

    // ---------------------------------------------------------------- receiving

    @Test
    void shouldPutTheHeaderBeforeThePayload() {
        open(2, 200);
        memory.memory().fill((byte) 0xa5);
        RawPacket first = datagram(0).payload(21);
        RawPacket second = RawPacket.of(RawPacket.UD_SEND_IMM, OUR_PSN - 77).deth(QKEY, 0x000042).immediate(0x01020304).payload(0);
        peer.send(first, second);
        peer.expectNothingFor(MS);
        assertEquals(List.of("0 SUCCESS 61", "1 SUCCESS 40"), receives());
        WorkCompletion one = peer.side.receives().getFirst();
        assertEquals(List.of(WcOpcode.RECV, 0xabcdef, WcFlags.GRH, peer.side.qp.qpNum()),
            List.of(one.opcode(), one.sourceQp(), one.flags(), one.qpNum()));
        WorkCompletion two = peer.side.receives().getLast();
        assertEquals(List.of(0x42, WcFlags.GRH | WcFlags.WITH_IMM, 0x01020304), List.of(two.sourceQp(), two.flags(), two.immediate()));
        // Total length 20 + 8 + 12 + 8 + 21 + 3 + 4 = 76; checksum ~(0x4500 + 0x4c + 0x4000 + 0x4011 + 0xa00 + 9 + 0xa00 + 1).
        assertEquals("00".repeat(20) + "4500004c00004000401126980a0000090a000001", HexFormat.of().formatHex(bytes(0, GRH)));
        assertArrayEquals(first.payload(), bytes(GRH, 21));
        assertEquals((byte) 0xa5, memory.memory().get(ValueLayout.JAVA_BYTE, 61), "the pad is not delivered");
        assertEquals((byte) 0xa5, memory.memory().get(ValueLayout.JAVA_BYTE, 240), "an empty datagram is 40 bytes");
    }

    @Test
    void shouldTakeDatagramsOfAnybodyInAnyOrder() {
        open(3, 100);
        peer.sendFromElsewhere(datagram(0).payload(8));
        peer.send(datagram(0x345678).payload(8), datagram(0).payload(8));
        peer.expectNothingFor(MS);
        assertEquals(List.of("0 SUCCESS 48", "1 SUCCESS 48", "2 SUCCESS 48"), receives());
        assertEquals("0a00000a", HexFormat.of().formatHex(bytes(GRH - 8, 4)), "the other address");
    }

    /** None of these consumes the receive. */
    static Stream<Arguments> unwanted() {
        return Stream.of(
            Arguments.of("wrong Q_Key", "drop_bad_qkey", RawPacket.of(RawPacket.UD_SEND, 0).deth(QKEY ^ 1, 1).payload(8)),
            Arguments.of("Q_Key with the highest bit", "drop_bad_qkey", RawPacket.of(RawPacket.UD_SEND, 0).deth(QKEY | 1 << 31, 1)),
            Arguments.of("too long for the receive", "drop_receive_too_small", datagram(0).payload(61)),
            Arguments.of("wrong pad", "drop_bad_request", datagram(0).payload(8).pad(2)),
            Arguments.of("RC SEND", "drop_wrong_service", RawPacket.of(RawPacket.SEND_ONLY, OUR_PSN).payload(8).ackRequest()),
            Arguments.of("UC SEND", "drop_wrong_service", RawPacket.of(RawPacket.UC | RawPacket.SEND_ONLY, OUR_PSN).payload(8)),
            Arguments.of("unknown opcode (0x66)", "drop_wrong_service", RawPacket.of(0x66, 0).deth(QKEY, 1)),
            Arguments.of("congestion notification", "rp_cnp_ignored", RawPacket.of(0x81, 0).payload(16)),
            Arguments.of("wrong ICRC", "drop_bad_icrc", datagram(0).badIcrc()),
            Arguments.of("foreign partition", "drop_bad_pkey", datagram(0).pkey(0x1234)),
            Arguments.of("no room for a DETH", "drop_bad_length", RawPacket.of(RawPacket.UD_SEND, 0).payload(4)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("unwanted")
    void shouldDropInSilenceWhatItDoesNotTake(String name, String counter, RawPacket packet) {
        open(1, 100);
        peer.send(packet);
        peer.expectNothingFor(1000 * MS);
        assertEquals(1, peer.side.counter(counter), counter);
        assertEquals(List.of(), receives());
        assertEquals(QpState.RTS, peer.side.qp.state());
        assertEquals(List.of(), peer.side.events());
        assertEquals(counter.equals("drop_bad_qkey") ? 1 : 0, peer.side.context.queryPort(1).qkeyViolCntr());
        assertArrayEquals(new byte[100], bytes(0, 100), "nothing of it arrived");
        peer.send(datagram(1).payload(60));
        peer.expectNothingFor(MS);
        assertEquals(List.of("0 SUCCESS 100"), receives(), "its twin that fits");
    }

    @Test
    void shouldDropWhatFindsNoReceive() {
        open(0, 0);
        peer.send(datagram(0).payload(8));
        peer.expectNothingFor(MS);
        assertEquals(1, peer.side.counter("drop_no_receive"));
        peer.side.qp.postReceive(recv.begin(5).element(memory, 0, 48));
        peer.send(datagram(1).payload(8));
        peer.expectNothingFor(MS);
        assertEquals(List.of("5 SUCCESS 48"), receives());
    }

    /** Header and payload in separate memory, as in programs that keep their buffers aligned. */
    @Test
    void shouldScatterHeaderAndPayload() {
        open(0, 0);
        peer.side.qp.postReceive(recv.begin(0).element(memory, 0, GRH).element(memory, 1000, 64));
        RawPacket packet = datagram(0).payload(64);
        peer.send(packet);
        peer.expectNothingFor(MS);
        assertArrayEquals(packet.payload(), bytes(1000, 64));
        assertEquals(0x45, memory.memory().get(ValueLayout.JAVA_BYTE, 20));
    }

    @Test
    void shouldStopOnAReceiveWithoutMemory() {
        open(0, 0);
        peer.side.qp.postReceive(recv.begin(0).element(memory.address(), 100, memory.lkey() ^ 1));
        peer.send(datagram(0).payload(8));
        peer.expectNothingFor(MS);
        assertEquals(List.of("0 LOC_PROT_ERR"), receives());
        assertEquals(QpState.ERR, peer.side.qp.state());
    }

    @Test
    void shouldReceiveFromRtrOn() {
        setup.type = QpType.UD;
        peer = new RawPeer(setup, false);
        memory = peer.side.memory(1 << 16, SimulatedPair.ALL_REMOTE);
        peer.side.qp.modify(SimulatedPair.init(setup, 0));
        peer.side.qp.postReceive(recv.begin(0).element(memory, 0, 100));
        peer.send(datagram(0));
        peer.expectNothingFor(MS);
        assertEquals(1, peer.side.counter("drop_qp_state"));
        peer.side.qp.modify(new QpAttributes().state(QpState.RTR));
        peer.send(datagram(0));
        peer.expectNothingFor(MS);
        assertEquals(List.of("0 SUCCESS 40"), receives());
        assertEquals(QKEY, peer.side.qp.query().qkey());
    }

    // ---------------------------------------------------------------- both ends ours

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldAnswerToWhereADatagramCameFrom(boolean ipv6) {
        setup.type = QpType.UD;
        setup.ipv6 = ipv6;
        setup.hiddenIpId = true;
        SimulatedPair pair = new SimulatedPair(4, setup);
        MemoryRegion a = pair.a.memory(200, SimulatedPair.ALL_REMOTE);
        MemoryRegion b = pair.b.memory(200, SimulatedPair.ALL_REMOTE);
        pair.a.qp.postReceive(recv.begin(1).element(a, 0, 200));
        pair.b.qp.postReceive(recv.begin(2).element(b, 0, 200));
        AddressHandle there = pair.a.pd.createAh(new AddressVector(pair.b.gid, 1, 0, 64, 0x2c, 0, 1));
        pair.a.qp.postSend(wr.send().element(a, 100, 8).to(there, pair.b.qp.qpNum(), QKEY));
        pair.runUntil(() -> !pair.b.receives().isEmpty());
        WorkCompletion got = pair.b.receives().getFirst();
        AddressVector back = AddressVector.ofReceived(pair.b.context, 1, got, b.memory());
        assertEquals(new AddressVector(pair.a.gid, 1, 0, 64, 0x2c, 0, 1), back);
        AddressHandle handleBack = pair.b.pd.createAhFromWc(got, b.memory(), 1);
        pair.b.qp.postSend(wr.send().element(b, 100, 4).to(handleBack, got.sourceQp(), QKEY));
        pair.runUntil(() -> !pair.a.receives().isEmpty());
        assertEquals(44, pair.a.receives().getFirst().byteLength());
        if (ipv6) {
            // Version 6, class 0x2c; 8 + 12 + 8 + 8 + 4 bytes behind it; UDP; hop limit 64.
            String header = HexFormat.of().formatHex(b.memory().asSlice(0, 40).toArray(ValueLayout.JAVA_BYTE));
            assertEquals("62c0000000281140fd000000000000000000000000000001fd000000000000000000000000000002", header);
        }
    }

    @Test
    void shouldRefuseToAnswerToWhatIsNoHeader() {
        setup.type = QpType.UD;
        SimulatedPair pair = new SimulatedPair(4, setup);
        WorkCompletion[] done = WorkCompletion.array(1);
        done[0].set(1, WcStatus.SUCCESS, WcOpcode.RECV, 0, 40, 0, 1, 1, WcFlags.GRH);
        byte[] grh = HexFormat.of().parseHex("00".repeat(20) + "4500004c00004000401126980a0000090a000001");
        refused(Errno.EINVAL, "init_ah_from_wc", "no IPv4", () -> ofReceived(pair, done[0], flipped(grh, 30)));
        refused(Errno.EINVAL, "init_ah_from_wc", "no IPv4", () -> ofReceived(pair, done[0], new byte[40]));
        refused(Errno.EINVAL, "init_ah_from_wc", "39", () -> ofReceived(pair, done[0], Arrays.copyOf(grh, 39)));
        assertEquals(Gid.ofIpv4(0x0a000009), ofReceived(pair, done[0], grh).dgid(), "the same, whole");
        byte[] toOther = HexFormat.of().parseHex("00".repeat(20) + "4500004c00004000401126960a0000090a000003");
        refused(Errno.ENOENT, "init_ah_from_wc", "10.0.0.3", () -> ofReceived(pair, done[0], toOther));
        done[0].set(1, WcStatus.SUCCESS, WcOpcode.RECV, 0, 40, 0, 1, 1, 0);
        refused(Errno.EINVAL, "init_ah_from_wc", "no GRH", () -> ofReceived(pair, done[0], grh));
    }

    private static AddressVector ofReceived(SimulatedPair pair, WorkCompletion completion, byte[] grh) {
        return AddressVector.ofReceived(pair.a.context, 1, completion, java.lang.foreign.MemorySegment.ofArray(grh));
    }

    private static byte[] flipped(byte[] bytes, int at) {
        byte[] copy = bytes.clone();
        copy[at] ^= 1;
        return copy;
    }
}
