// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop.app;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;

/** The code of the {@linkplain Operation operations}: each checks every completion and every byte. */
final class Exchanges {
    static final double SECONDS = 15;
    private static final double SHORT = 0.05;
    private static final Gid GROUP = Gid.ofIpv4(0xef4d0101);      // 239.77.1.1
    private static final long OLD = 0x1122334455667788L;

    private Exchanges() {
    }

    static byte[] pattern(int seed, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (1 + (i * 7 + seed + i / 251) % 251);
        }
        return bytes;
    }

    static Completion one(Endpoint endpoint) {
        List<Completion> completions = endpoint.completions(1, SECONDS);
        if (completions.isEmpty()) {
            throw new AssertionError("no completion within " + SECONDS + " s; state " + endpoint.state());
        }
        return completions.getFirst();
    }

    static void nothingMore(Endpoint endpoint) {
        List<Completion> completions = endpoint.completions(1, SHORT);
        if (!completions.isEmpty()) {
            throw new AssertionError("unexpected completion: " + completions.getFirst());
        }
    }

    /** Checks that the bytes are present and that the memory after them is still zero. */
    static void holds(Endpoint endpoint, int offset, byte[] expected) {
        byte[] found = endpoint.bytes(offset, expected.length + 64);
        byte[] all = Arrays.copyOf(expected, expected.length + 64);
        int differs = Arrays.mismatch(all, found);
        if (differs >= 0) {
            throw new AssertionError("byte " + differs + " of " + expected.length + " is " + found[differs] + ", not " + all[differs]);
        }
    }

    static void write(Endpoint requester, Endpoint responder, int length) {
        byte[] data = pattern(3, length);
        Endpoint.Reach to = responder.reach();
        requester.fill(0, data);
        requester.post(Work.write(1, to.address() + 5, to.rkey()).part(0, length));
        one(requester).expect(1, WcOpcode.RDMA_WRITE);
        holds(responder, 5, data);
    }

    static void writeNothing(Endpoint requester, Endpoint responder) {
        requester.fill(0, pattern(3, 64));
        requester.post(Work.write(1, 0x1000, 0x4711));
        one(requester).expect(1, WcOpcode.RDMA_WRITE);
        holds(responder, 0, new byte[0]);
    }

    static void read(Endpoint requester, Endpoint responder, int length) {
        byte[] data = pattern(17, length);
        Endpoint.Reach from = responder.reach();
        int offset = 8192;
        responder.fill(offset + 3, data);
        requester.post(Work.read(2, from.address() + offset + 3, from.rkey()).part(offset + 9, length));
        one(requester).expect(2, WcOpcode.RDMA_READ).expectBytes(length);
        holds(requester, offset + 9, data);
    }

    static void manyReads(Endpoint requester, Endpoint responder) {
        byte[] data = pattern(29, 16 * 3000);
        Endpoint.Reach from = responder.reach();
        responder.fill(0, data);
        for (int i = 0; i < 16; i++) {
            requester.post(Work.read(i, from.address() + i * 3000, from.rkey()).part(i * 3000, 3000));
        }
        for (int i = 0; i < 16; i++) {
            one(requester).expect(i, WcOpcode.RDMA_READ).expectBytes(3000);
        }
        holds(requester, 0, data);
    }

    static byte[] bytesOf(long value) {
        return ByteBuffer.allocate(8).order(ByteOrder.nativeOrder()).putLong(value).array();
    }

    static void compareAndSwap(Endpoint requester, Endpoint responder) {
        Endpoint.Reach at = responder.reach();
        long swapped = 0xa1b2c3d4e5f60718L;
        responder.fill(16, bytesOf(OLD));
        requester.post(Work.compareAndSwap(1, at.address() + 16, at.rkey(), OLD, swapped).part(0, 8));
        one(requester).expect(1, WcOpcode.COMP_SWAP).expectBytes(8);
        holds(requester, 0, bytesOf(OLD));
        holds(responder, 16, bytesOf(swapped));
        requester.post(Work.compareAndSwap(2, at.address() + 16, at.rkey(), OLD, 5).part(0, 8));
        one(requester).expect(2, WcOpcode.COMP_SWAP).expectBytes(8);
        holds(requester, 0, bytesOf(swapped));
        holds(responder, 16, bytesOf(swapped));
    }

    static void fetchAndAdd(Endpoint requester, Endpoint responder) {
        Endpoint.Reach at = responder.reach();
        responder.fill(8, bytesOf(OLD));
        requester.post(Work.fetchAndAdd(1, at.address() + 8, at.rkey(), 0x0102030405060708L).part(0, 8));
        one(requester).expect(1, WcOpcode.FETCH_ADD).expectBytes(8);
        holds(requester, 0, bytesOf(OLD));
        long sum = OLD + 0x0102030405060708L;
        holds(responder, 8, bytesOf(sum));
        requester.post(Work.fetchAndAdd(2, at.address() + 8, at.rkey(), -OLD).part(0, 8));
        one(requester).expect(2, WcOpcode.FETCH_ADD).expectBytes(8);
        holds(requester, 0, bytesOf(sum));
        holds(responder, 8, bytesOf(sum - OLD));
    }

    static Completion send(Endpoint requester, Endpoint responder, Work work, int length) {
        byte[] data = pattern(41, length);
        requester.fill(0, data);
        responder.receive(7, new Work.Part(100, 8000));
        requester.post(length == 0 ? work : work.part(0, length));
        one(requester).expect(1, WcOpcode.SEND);
        Completion received = one(responder).expect(7, WcOpcode.RECV).expectBytes(length);
        holds(responder, 100, data);
        return received;
    }

    static void writeWithImmediate(Endpoint requester, Endpoint responder, int length) {
        byte[] data = pattern(5, length);
        Endpoint.Reach to = responder.reach();
        requester.fill(0, data);
        responder.receive(7);
        Work work = Work.writeWithImmediate(1, to.address() + 1, to.rkey(), Operation.IMMEDIATE);
        requester.post(length == 0 ? work : work.part(0, length));
        one(requester).expect(1, WcOpcode.RDMA_WRITE);
        one(responder).expect(7, WcOpcode.RECV_RDMA_WITH_IMM).expectBytes(length).expectImmediate(Operation.IMMEDIATE);
        holds(responder, 1, data);
    }

    static void sendWithInvalidate(Endpoint requester, Endpoint responder) {
        int key = responder.bind(9, 0, 4096, AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ);
        one(responder).expect(9, WcOpcode.BIND_MW);
        long address = responder.reach().address();
        byte[] data = pattern(8, 64);
        requester.fill(0, data);
        requester.post(Work.write(1, address, key).part(0, 64));
        one(requester).expect(1, WcOpcode.RDMA_WRITE);
        holds(responder, 0, data);
        responder.receive(7, new Work.Part(8192, 4096));
        requester.post(Work.sendWithInvalidate(2, key).part(0, 33));
        one(requester).expect(2, WcOpcode.SEND);
        Completion received = one(responder).expect(7, WcOpcode.RECV).expectBytes(33);
        if (received.key() != key) {
            throw new AssertionError("invalidated key is 0x" + Integer.toHexString(received.key()) + ", not 0x" + Integer.toHexString(key));
        }
        requester.post(Work.write(3, address, key).part(0, 64));
        one(requester).expect(3, WcStatus.REM_ACCESS_ERR);
    }

    static void localInvalidate(Endpoint requester, Endpoint responder) {
        int key = responder.bind(9, 0, 4096, AccessFlags.REMOTE_READ);
        one(responder).expect(9, WcOpcode.BIND_MW);
        long address = responder.reach().address();
        byte[] data = pattern(8, 64);
        responder.fill(0, data);
        requester.post(Work.read(1, address, key).part(0, 64));
        one(requester).expect(1, WcOpcode.RDMA_READ);
        holds(requester, 0, data);
        responder.post(Work.localInvalidate(10, key));
        one(responder).expect(10, WcOpcode.LOCAL_INV);
        requester.post(Work.read(2, address, key).part(0, 64));
        one(requester).expect(2, WcStatus.REM_ACCESS_ERR);
    }

    static void typeOneWindow(Endpoint requester, Endpoint responder) {
        long address = responder.reach().address();
        requester.fill(0, pattern(8, 64));
        int[] offsets = {0, 8192};
        int key = 0;
        for (int i = 0; i < offsets.length; i++) {
            key = responder.bindTypeOne(9 + i, offsets[i], 4096, AccessFlags.REMOTE_WRITE);
            one(responder).expect(9 + i, WcOpcode.BIND_MW);
            requester.post(Work.write(i, address + offsets[i], key).part(0, 64));
            one(requester).expect(i, WcOpcode.RDMA_WRITE);
            holds(responder, offsets[i], pattern(8, 64));
        }
        responder.bindTypeOne(20, 0, 0, 0);
        one(responder).expect(20, WcOpcode.BIND_MW);
        requester.post(Work.write(3, address + 8192, key).part(0, 64));
        one(requester).expect(3, WcStatus.REM_ACCESS_ERR);
    }

    static void sharedReceives(Endpoint requester, Endpoint responder) {
        byte[] data = pattern(41, 2500);
        requester.fill(0, data);
        for (int i = 0; i < 4; i++) {
            responder.receive(10 + i, new Work.Part(i * 8192, 4000));
        }
        for (int i = 0; i < 4; i++) {
            int length = i % 2 == 0 ? 33 : 2500;
            requester.post(Work.send(i).part(0, length));
            one(requester).expect(i, WcOpcode.SEND);
            one(responder).expect(10 + i, WcOpcode.RECV).expectBytes(length);
            holds(responder, i * 8192, Arrays.copyOf(data, length));
        }
    }

    static void unsignaled(Endpoint requester, Endpoint responder) {
        requester.fill(0, pattern(1, 2000));
        for (int i = 0; i < 20; i++) {
            responder.receive(i, new Work.Part(i * 100, 100));
        }
        for (int i = 0; i < 20; i++) {
            Work work = Work.send(i).part(i * 100, 100);
            requester.post(i < 19 ? work.unsignaled() : work);
        }
        one(requester).expect(19, WcOpcode.SEND);
        nothingMore(requester);
        for (int i = 0; i < 20; i++) {
            one(responder).expect(i, WcOpcode.RECV).expectBytes(100);
        }
        holds(responder, 0, pattern(1, 2000));
    }

    static void inline(Endpoint requester, Endpoint responder) {
        byte[] data = pattern(77, 100);
        requester.fill(0, data);
        responder.receive(7, new Work.Part(0, 4096));
        requester.post(Work.send(1).part(0, 60).part(60, 40).also(SendFlags.INLINE));
        requester.fill(0, new byte[100]);
        one(requester).expect(1, WcOpcode.SEND);
        one(responder).expect(7, WcOpcode.RECV).expectBytes(100);
        holds(responder, 0, data);
    }

    static void lists(Endpoint requester, Endpoint responder) {
        byte[] data = pattern(13, 3000);
        requester.fill(0, data);
        responder.receive(7, new Work.Part(0, 1), new Work.Part(2000, 999), new Work.Part(5000, 4000));
        requester.post(Work.send(1).part(0, 777).part(777, 1).part(778, 1222).part(2000, 1000));
        one(requester).expect(1, WcOpcode.SEND);
        one(responder).expect(7, WcOpcode.RECV).expectBytes(3000);
        holds(responder, 0, Arrays.copyOf(data, 1));
        holds(responder, 2000, Arrays.copyOfRange(data, 1, 1000));
        holds(responder, 5000, Arrays.copyOfRange(data, 1000, 3000));

        Endpoint.Reach at = responder.reach();
        requester.post(Work.write(2, at.address() + 20_000, at.rkey()).part(1500, 1500).part(0, 1500));
        one(requester).expect(2, WcOpcode.RDMA_WRITE);
        byte[] turned = new byte[3000];
        System.arraycopy(data, 1500, turned, 0, 1500);
        System.arraycopy(data, 0, turned, 1500, 1500);
        holds(responder, 20_000, turned);

        requester.post(Work.read(3, at.address() + 20_000, at.rkey()).part(30_000, 1).part(40_000, 2000).part(50_000, 999));
        one(requester).expect(3, WcOpcode.RDMA_READ).expectBytes(3000);
        holds(requester, 30_000, Arrays.copyOf(turned, 1));
        holds(requester, 40_000, Arrays.copyOfRange(turned, 1, 2001));
        holds(requester, 50_000, Arrays.copyOfRange(turned, 2001, 3000));
    }

    static void pipeline(Endpoint requester, Endpoint responder) {
        Endpoint.Reach at = responder.reach();
        byte[] data = pattern(19, 3000);
        requester.fill(0, data);
        responder.fill(8000, bytesOf(OLD));
        responder.receive(71, new Work.Part(10_000, 4096));
        responder.receive(72);
        requester.post(Work.write(1, at.address(), at.rkey()).part(0, 3000));
        requester.post(Work.fetchAndAdd(2, at.address() + 8000, at.rkey(), 1).part(8000, 8));
        requester.post(Work.read(3, at.address(), at.rkey()).part(20_000, 3000));
        requester.post(Work.send(4).part(20_000, 500).also(SendFlags.FENCE | SendFlags.SOLICITED));
        requester.post(Work.writeWithImmediate(5, at.address() + 30_000, at.rkey(), Operation.IMMEDIATE).part(0, 2500));
        one(requester).expect(1, WcOpcode.RDMA_WRITE);
        one(requester).expect(2, WcOpcode.FETCH_ADD);
        one(requester).expect(3, WcOpcode.RDMA_READ).expectBytes(3000);
        one(requester).expect(4, WcOpcode.SEND);
        one(requester).expect(5, WcOpcode.RDMA_WRITE);
        one(responder).expect(71, WcOpcode.RECV).expectBytes(500);
        one(responder).expect(72, WcOpcode.RECV_RDMA_WITH_IMM).expectBytes(2500).expectImmediate(Operation.IMMEDIATE);
        holds(responder, 0, data);
        holds(requester, 20_000, data);
        holds(requester, 8000, bytesOf(OLD));
        holds(responder, 8000, bytesOf(OLD + 1));
        // The fence: the SEND must have sent the data that the READ placed.
        holds(responder, 10_000, Arrays.copyOf(data, 500));
        holds(responder, 30_000, Arrays.copyOf(data, 2500));
    }

    static void writeAndTell(Endpoint requester, Endpoint responder) {
        byte[] data = pattern(23, 5000);
        Endpoint.Reach to = responder.reach();
        requester.fill(0, data);
        responder.receive(7, new Work.Part(32_768, 100));
        requester.post(Work.write(1, to.address() + 5, to.rkey()).part(0, 5000));
        requester.post(Work.send(2).part(0, 33));
        one(requester).expect(1, WcOpcode.RDMA_WRITE);
        one(requester).expect(2, WcOpcode.SEND);
        one(responder).expect(7, WcOpcode.RECV).expectBytes(33);
        holds(responder, 5, data);
    }

    static Completion datagram(Endpoint requester, Endpoint responder, Work work, int length) {
        byte[] data = pattern(41, length);
        requester.fill(0, data);
        responder.receive(7, new Work.Part(100, Settings.GRH + 5000));
        requester.post(length == 0 ? work : work.part(0, length));
        one(requester).expect(1, WcOpcode.SEND);
        Completion received = one(responder).expect(7, WcOpcode.RECV).expectBytes(Settings.GRH + length)
            .expectFrom(requester.reach().qpn());
        holds(responder, 100 + Settings.GRH, data);
        return received;
    }

    static void multicast(Endpoint requester, Endpoint responder) {
        byte[] data = pattern(43, 1000);
        responder.join(GROUP);
        requester.fill(0, data);
        requester.post(Work.sendWithImmediate(1, Operation.IMMEDIATE).part(0, data.length).toGroup(GROUP));
        one(requester).expect(1, WcOpcode.SEND);
        Endpoint.Datagram received = responder.fromGroup();
        if (received.sourceQpn() != requester.reach().qpn() || received.immediate() != Operation.IMMEDIATE
                || !Arrays.equals(received.payload(), data)) {
            throw new AssertionError("expected " + data.length + " bytes of 0x" + Integer.toHexString(requester.reach().qpn()) + ", got "
                + received.payload().length + " of 0x" + Integer.toHexString(received.sourceQpn()) + ", immediate 0x"
                + Integer.toHexString(received.immediate()));
        }
    }

    static void atomicWrite(Endpoint requester, Endpoint responder) {
        Endpoint.Reach at = responder.reach();
        byte[] data = pattern(11, 8);
        requester.fill(40, data);
        requester.post(Work.atomicWrite(1, at.address() + 16, at.rkey()).part(40, 8));
        one(requester).expect(1, WcOpcode.ATOMIC_WRITE);
        holds(responder, 16, data);
    }

    static void flush(Endpoint requester, Endpoint responder) {
        Endpoint.Reach at = responder.reach();
        byte[] data = pattern(12, 500);
        requester.fill(0, data);
        requester.post(Work.write(1, at.address() + 5, at.rkey()).part(0, 500));
        one(requester).expect(1, WcOpcode.RDMA_WRITE);
        requester.post(Work.flush(2, at.address() + 5, at.rkey(), 500));
        one(requester).expect(2, WcStatus.RETRY_EXC_ERR);
        holds(responder, 5, data);
    }

    /**
     * Sends a FLUSH past the queue pair. The answer is visible in the capture only: the queue pair that receives it has no such request.
     */
    static void flushOfRxe(Endpoint requester, Endpoint responder, String stateAfter) {
        Endpoint.Reach from = requester.reach();
        Endpoint.Reach at = responder.reach();
        requester.sendRaw(at.gid(), RawPacket.flushOfRxe(from.gid(), at.gid(), at.qpn(), from.psn(), at.address() + 64, at.rkey(), 3000));
        nothingMore(requester);
        if (!responder.state().equals(stateAfter)) {
            throw new AssertionError("the responder is in " + responder.state() + ", not " + stateAfter);
        }
    }

    static void log(Endpoint requester, Endpoint responder) {
        Endpoint.Reach at = responder.reach();
        byte[] entry = pattern(14, 3000);
        byte[] head = pattern(15, 8);
        requester.fill(0, entry);
        requester.fill(8000, head);
        requester.post(Work.write(1, at.address() + 64, at.rkey()).part(0, 3000));
        requester.post(Work.atomicWrite(2, at.address() + 8192, at.rkey()).part(8000, 8));
        one(requester).expect(1, WcOpcode.RDMA_WRITE);
        one(requester).expect(2, WcOpcode.ATOMIC_WRITE);
        holds(responder, 64, entry);
        holds(responder, 8192, head);
    }

    static void receiverNotReady(Endpoint requester, Endpoint responder) {
        byte[] data = pattern(2, 33);
        requester.fill(0, data);
        requester.post(Work.send(1).part(0, 33));
        nothingMore(requester);
        responder.receive(7, new Work.Part(0, 4096));
        one(requester).expect(1, WcOpcode.SEND);
        one(responder).expect(7, WcOpcode.RECV).expectBytes(33);
        holds(responder, 0, data);
    }
}
