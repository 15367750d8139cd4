// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.fabric.run.FabricConnection;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.PortState;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WorkCompletion;

/**
 * A device exchanges datagrams with a peer that is written here, byte by byte, with no code of the device: headers as IBA vol 1 §7.7, §8.3
 * and §9.2 draw them, and the ICRC of §7.8.1.
 */
@Timeout(120)
class HandMadePacketsTest {
    private static final int QKEY = 0x11111111;
    private static final int PEER_QPN = 0x123;
    private static final int PORT_MESSAGE = 2;
    private static final int LID_IN_REGISTERS = 40 + 16;

    private final RunningFabric fabric = new RunningFabric();
    private final MemorySegment memory = Arena.ofAuto().allocate(256);
    private final WorkCompletion[] done = WorkCompletion.array(1);
    private Context context;
    private ProtectionDomain pd;
    private CompletionQueue cq;
    private QueuePair qp;
    private MemoryRegion region;
    private SocketChannel peer;
    private int peerLid;
    private int ownLid;

    @BeforeEach
    void attach() throws IOException {
        context = fabric.open("h1");
        pd = fabric.keep(context.allocatePd());
        cq = fabric.keep(context.createCq(4, null, null, 0));
        region = fabric.keep(pd.register(memory, AccessFlags.LOCAL_WRITE));
        qp = fabric.keep(pd.createQp(QpInitAttributes.of(QpType.UD, cq, QpCapabilities.MINIMAL)));
        qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).qkey(QKEY));
        qp.modify(new QpAttributes().state(QpState.RTR));
        qp.modify(new QpAttributes().state(QpState.RTS).sqPsn(0));
        peer = fabric.keep(FabricConnection.attach(fabric.name(), "h2 1"));
        fabric.manage();
        RunningFabric.await("an active port", () -> context.queryPort(1).state() == PortState.ACTIVE);
        ownLid = context.queryPort(1).lid();
        while (peerLid == 0) {
            peerLid = next(PORT_MESSAGE).getShort(LID_IN_REGISTERS) & 0xffff;
        }
    }

    @AfterEach
    void end() {
        fabric.close();
    }

    /** Reads messages up to one of a kind. */
    private ByteBuffer next(int kind) throws IOException {
        while (true) {
            ByteBuffer head = read(4);
            ByteBuffer body = read(head.getInt(0) & 0xffffff);
            if (head.get(0) == kind) {
                return body;
            }
        }
    }

    private ByteBuffer read(int bytes) throws IOException {
        ByteBuffer into = ByteBuffer.allocate(bytes);
        while (into.hasRemaining()) {
            assertTrue(peer.read(into) >= 0, "the fabric detached the peer");
        }
        return into.flip();
    }

    /** ICRC of a packet without GRH: ones for VL and the byte of FECN and BECN; IBA vol 1 §7.8.1. */
    private static int icrc(byte[] packet) {
        byte[] masked = packet.clone();
        masked[0] |= (byte) 0xf0;
        masked[8 + 4] = (byte) 0xff;
        CRC32 crc = new CRC32();
        crc.update(masked, 0, masked.length - 4);
        return Integer.reverseBytes((int) crc.getValue());
    }

    private byte[] datagram(String text) {
        byte[] payload = text.getBytes(StandardCharsets.US_ASCII);
        ByteBuffer packet = ByteBuffer.allocate(8 + 12 + 8 + payload.length + 4);
        packet.put((byte) 0).put((byte) 0x52).putShort((short) ownLid).putShort((short) (packet.capacity() / 4)).putShort((short) peerLid);
        packet.put((byte) 0x64).put((byte) 0).putShort((short) 0xffff).putInt(qp.qpNum()).putInt(7);
        packet.putInt(QKEY).putInt(PEER_QPN).put(payload);
        packet.putInt(packet.position(), icrc(packet.array()));
        return packet.array();
    }

    private void send(byte[] packet) throws IOException {
        peer.write(ByteBuffer.allocate(4).putInt(0, 1 << 24 | packet.length));
        peer.write(ByteBuffer.wrap(packet));
    }

    @Test
    void shouldReceiveADatagram() throws IOException {
        qp.postReceive(new ReceiveRequest().begin(1).element(region, 0, 256));
        send(datagram("made by hand"));
        RunningFabric.await("a completion", () -> cq.poll(done) == 1);
        assertEquals(40 + 12, done[0].byteLength());
        assertEquals(peerLid, done[0].slid());
        assertEquals(5, done[0].sl());
        assertEquals(PEER_QPN, done[0].sourceQp());
        assertEquals("made by hand", memory.getString(40));
    }

    @Test
    void shouldDropADatagramWithAnotherServiceLevelThanItsIcrcCovers() throws IOException {
        byte[] packet = datagram("another SL12");
        packet[1] = 0x42;
        send(packet);
        RunningFabric.await("the packet", () -> context.counters().get("drop_bad_icrc") == 1);
    }

    @Test
    void shouldSendADatagramWithTheHeadersAndIcrcOfTheSpecification() throws IOException {
        memory.setString(0, "to the peer");
        qp.postSend(new SendRequest().send().wrId(1).element(region, 0, 12).signaled()
            .to(fabric.keep(pd.createAh(AddressVector.toLid(peerLid).withSl(6))), PEER_QPN, QKEY));
        byte[] packet = next(1).array();
        ByteBuffer b = ByteBuffer.wrap(packet);
        assertEquals(0, packet[0] & 0x0f, "LVer");
        assertEquals(0x62, packet[1], "SL 6, LNH 2");
        assertEquals(peerLid, b.getShort(2));
        assertEquals(packet.length / 4, b.getShort(4));
        assertEquals(ownLid, b.getShort(6));
        assertEquals(0x64, packet[8], "UD SEND Only");
        assertEquals(0xffff, b.getShort(10) & 0xffff);
        assertEquals(PEER_QPN, b.getInt(12));
        assertEquals(QKEY, b.getInt(20));
        assertEquals(qp.qpNum(), b.getInt(24));
        assertEquals("to the peer", new String(packet, 28, 11, StandardCharsets.US_ASCII));
        assertEquals(icrc(packet), b.getInt(packet.length - 4));
    }
}
