// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop.app;

import static org.softrdma.wire.roce.Opcode.RC_ACKNOWLEDGE;
import static org.softrdma.wire.roce.Opcode.RC_ATOMIC_ACKNOWLEDGE;
import static org.softrdma.wire.roce.Opcode.RC_ATOMIC_WRITE;
import static org.softrdma.wire.roce.Opcode.RC_COMPARE_SWAP;
import static org.softrdma.wire.roce.Opcode.RC_FETCH_ADD;
import static org.softrdma.wire.roce.Opcode.RC_FLUSH;
import static org.softrdma.wire.roce.Opcode.RC_RDMA_READ_REQUEST;
import static org.softrdma.wire.roce.Opcode.RC_RDMA_READ_RESPONSE_FIRST;
import static org.softrdma.wire.roce.Opcode.RC_RDMA_READ_RESPONSE_LAST;
import static org.softrdma.wire.roce.Opcode.RC_RDMA_READ_RESPONSE_MIDDLE;
import static org.softrdma.wire.roce.Opcode.RC_RDMA_READ_RESPONSE_ONLY;
import static org.softrdma.wire.roce.Opcode.RC_RDMA_WRITE_FIRST;
import static org.softrdma.wire.roce.Opcode.RC_RDMA_WRITE_LAST;
import static org.softrdma.wire.roce.Opcode.RC_RDMA_WRITE_LAST_WITH_IMMEDIATE;
import static org.softrdma.wire.roce.Opcode.RC_RDMA_WRITE_MIDDLE;
import static org.softrdma.wire.roce.Opcode.RC_RDMA_WRITE_ONLY;
import static org.softrdma.wire.roce.Opcode.RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE;
import static org.softrdma.wire.roce.Opcode.RC_SEND_FIRST;
import static org.softrdma.wire.roce.Opcode.RC_SEND_LAST;
import static org.softrdma.wire.roce.Opcode.RC_SEND_LAST_WITH_IMMEDIATE;
import static org.softrdma.wire.roce.Opcode.RC_SEND_MIDDLE;
import static org.softrdma.wire.roce.Opcode.RC_SEND_ONLY;
import static org.softrdma.wire.roce.Opcode.RC_SEND_ONLY_WITH_IMMEDIATE;
import static org.softrdma.wire.roce.Opcode.RC_SEND_ONLY_WITH_INVALIDATE;
import static org.softrdma.wire.roce.Opcode.UC_RDMA_WRITE_FIRST;
import static org.softrdma.wire.roce.Opcode.UC_RDMA_WRITE_LAST;
import static org.softrdma.wire.roce.Opcode.UC_RDMA_WRITE_LAST_WITH_IMMEDIATE;
import static org.softrdma.wire.roce.Opcode.UC_RDMA_WRITE_MIDDLE;
import static org.softrdma.wire.roce.Opcode.UC_SEND_FIRST;
import static org.softrdma.wire.roce.Opcode.UC_SEND_LAST_WITH_IMMEDIATE;
import static org.softrdma.wire.roce.Opcode.UC_SEND_ONLY;
import static org.softrdma.wire.roce.Opcode.UD_SEND_ONLY;
import static org.softrdma.wire.roce.Opcode.UD_SEND_ONLY_WITH_IMMEDIATE;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;

/**
 * An exchange between a requester and a responder, one of them ours and the other the kernel's, with every completion and every byte
 * checked.
 *
 * @param requests  opcodes that must be seen from the requester
 * @param responses opcodes that must be seen from the responder
 * @param faulty    whether retries are part of the exchange
 */
public record Operation(String name, String sentence, Settings requester, Settings responder, Set<Integer> requests,
                        Set<Integer> responses, boolean faulty, Body body) {
    /** Code of the exchange. */
    interface Body {
        void run(Endpoint requester, Endpoint responder);
    }

    static final double SECONDS = 15;
    private static final double SHORT = 0.05;
    /** Long enough for more than eight transmissions. */
    private static final double ENDLESS_SECONDS = 1.5;
    private static final int IMMEDIATE = 0xdeadbeef;
    private static final Gid GROUP = Gid.ofIpv4(0xef4d0101);      // 239.77.1.1
    private static final long OLD = 0x1122334455667788L;
    private static final Set<Integer> ACK = Set.of(RC_ACKNOWLEDGE);
    private static final Set<Integer> WRITES = Set.of(RC_RDMA_WRITE_FIRST, RC_RDMA_WRITE_MIDDLE, RC_RDMA_WRITE_LAST);
    private static final Set<Integer> READ = Set.of(RC_RDMA_READ_REQUEST);
    private static final Set<Integer> READ_RESPONSES =
        Set.of(RC_RDMA_READ_RESPONSE_FIRST, RC_RDMA_READ_RESPONSE_MIDDLE, RC_RDMA_READ_RESPONSE_LAST);

    public static final List<Operation> ALL = List.of(
        plain("write-33", "WRITE of 33 bytes, one padded packet", Set.of(RC_RDMA_WRITE_ONLY), ACK, (a, b) -> write(a, b, 33)),
        plain("write-5000", "WRITE of 5000 bytes, five packets", WRITES, ACK, (a, b) -> write(a, b, 5000)),
        with("write-mtu-256", "WRITE of 1000 bytes at path MTU 256", Settings.defaults().mtu(Mtu.MTU_256), WRITES, ACK,
            (a, b) -> write(a, b, 1000)),
        with("write-mtu-4096", "WRITE of 10001 bytes at path MTU 4096", Settings.defaults().mtu(Mtu.MTU_4096), WRITES, ACK,
            (a, b) -> write(a, b, 10_001)),
        with("write-1M", "WRITE of 1 MiB and 3 bytes, beyond every window", Settings.defaults().size(2 << 20), WRITES, ACK,
            (a, b) -> write(a, b, (1 << 20) + 3)),
        plain("write-0", "empty WRITE to an address and a key that do not exist", Set.of(RC_RDMA_WRITE_ONLY), ACK,
            Operation::writeNothing),
        plain("read-33", "READ of 33 bytes", READ, Set.of(RC_RDMA_READ_RESPONSE_ONLY), (a, b) -> read(a, b, 33)),
        plain("read-5000", "READ of 5000 bytes, five response packets", READ, READ_RESPONSES, (a, b) -> read(a, b, 5000)),
        with("read-mtu-256", "READ of 1000 bytes at path MTU 256", Settings.defaults().mtu(Mtu.MTU_256), READ, READ_RESPONSES,
            (a, b) -> read(a, b, 1000)),
        with("read-1M", "READ of 1 MiB and 3 bytes", Settings.defaults().size(2 << 20), READ, READ_RESPONSES,
            (a, b) -> read(a, b, (1 << 20) + 3)),
        with("read-16", "sixteen READs at once, four allowed in flight", Settings.defaults().fetches(4, 4), READ, READ_RESPONSES,
            Operation::manyReads),
        plain("read-0", "READ of nothing", READ, Set.of(RC_RDMA_READ_RESPONSE_ONLY), (a, b) -> {
            a.post(Work.read(1, 0x1000, 0x4711));
            one(a).expect(1, WcOpcode.RDMA_READ).expectBytes(0);
        }),
        plain("cmp-swap", "CMP_SWAP that matches, then one that does not", Set.of(RC_COMPARE_SWAP),
            Set.of(RC_ATOMIC_ACKNOWLEDGE), Operation::compareAndSwap),
        plain("fetch-add", "FETCH_ADD, then one that wraps around", Set.of(RC_FETCH_ADD), Set.of(RC_ATOMIC_ACKNOWLEDGE),
            Operation::fetchAndAdd),
        plain("send-0", "SEND of nothing", Set.of(RC_SEND_ONLY), ACK, (a, b) -> send(a, b, Work.send(1), 0)),
        plain("send-2500", "SEND of 2500 bytes, three packets", Set.of(RC_SEND_FIRST, RC_SEND_MIDDLE, RC_SEND_LAST), ACK,
            (a, b) -> send(a, b, Work.send(1), 2500)),
        plain("send-imm-33", "SEND with immediate, one packet", Set.of(RC_SEND_ONLY_WITH_IMMEDIATE), ACK,
            (a, b) -> send(a, b, Work.sendWithImmediate(1, IMMEDIATE), 33).expectImmediate(IMMEDIATE)),
        plain("send-imm-3001", "SEND with immediate, three packets", Set.of(RC_SEND_FIRST, RC_SEND_LAST_WITH_IMMEDIATE), ACK,
            (a, b) -> send(a, b, Work.sendWithImmediate(1, IMMEDIATE), 3001).expectImmediate(IMMEDIATE)),
        plain("send-imm-0", "SEND with immediate and no data", Set.of(RC_SEND_ONLY_WITH_IMMEDIATE), ACK,
            (a, b) -> send(a, b, Work.sendWithImmediate(1, IMMEDIATE), 0).expectImmediate(IMMEDIATE)),
        plain("write-imm-33", "WRITE with immediate, one packet", Set.of(RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE), ACK,
            (a, b) -> writeWithImmediate(a, b, 33)),
        plain("write-imm-2500", "WRITE with immediate, three packets", Set.of(RC_RDMA_WRITE_FIRST, RC_RDMA_WRITE_LAST_WITH_IMMEDIATE), ACK,
            (a, b) -> writeWithImmediate(a, b, 2500)),
        plain("write-imm-0", "WRITE with immediate and no data", Set.of(RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE), ACK,
            (a, b) -> writeWithImmediate(a, b, 0)),
        plain("send-inv", "the responder binds a type 2 window, a WRITE goes through it, a SEND invalidates it, a WRITE is refused",
            Set.of(RC_RDMA_WRITE_ONLY, RC_SEND_ONLY_WITH_INVALIDATE), ACK, Operation::sendWithInvalidate),
        plain("mw-2b-local-inv", "the responder binds a type 2 window, a READ goes through it, its owner invalidates it, a READ is refused",
            Set.of(RC_RDMA_READ_REQUEST), Set.of(RC_RDMA_READ_RESPONSE_ONLY), Operation::localInvalidate),
        plain("mw-type-1",
            "the responder binds a type 1 window, again elsewhere, and unbinds it; WRITEs go where it is bound, the last is refused",
            Set.of(RC_RDMA_WRITE_ONLY), ACK, Operation::typeOneWindow),
        with("srq", "SENDs of one and three packets into receives of a shared queue", Settings.defaults().srq(8),
            Set.of(RC_SEND_ONLY, RC_SEND_FIRST), ACK, Operation::sharedReceives),
        plain("unsignaled", "twenty SENDs of which only the last is signaled", Set.of(RC_SEND_ONLY), ACK, Operation::unsignaled),
        plain("inline", "an inline SEND whose buffer is overwritten at once", Set.of(RC_SEND_ONLY), ACK, Operation::inline),
        plain("sge-lists", "SEND gathered from four pieces and scattered over three, WRITE and READ by lists",
            Set.of(RC_SEND_FIRST, RC_RDMA_WRITE_FIRST, RC_RDMA_READ_REQUEST), Set.of(RC_ACKNOWLEDGE, RC_RDMA_READ_RESPONSE_FIRST),
            Operation::lists),
        plain("pipeline", "WRITE, FETCH_ADD, READ, fenced SEND and WRITE with immediate posted at once complete in order",
            Set.of(RC_RDMA_WRITE_FIRST, RC_FETCH_ADD, RC_RDMA_READ_REQUEST, RC_SEND_ONLY, RC_RDMA_WRITE_LAST_WITH_IMMEDIATE),
            Set.of(RC_ACKNOWLEDGE, RC_ATOMIC_ACKNOWLEDGE, RC_RDMA_READ_RESPONSE_LAST), Operation::pipeline),
        with("psn-wrap", "WRITE and READ whose PSNs wrap at 0xffffff", Settings.defaults().psn(0xfffffe),
            Set.of(RC_RDMA_WRITE_LAST, RC_RDMA_READ_REQUEST), READ_RESPONSES, (a, b) -> {
                write(a, b, 5000);
                read(a, b, 5000);
            }),
        faulty("rnr", "a SEND without a receive is answered with RNR NAKs and repeated until one is posted", Settings.defaults(),
            Set.of(RC_SEND_ONLY), ACK, Operation::receiverNotReady),
        faulty("srq-rnr", "a SEND to an empty shared receive queue is answered with RNR NAKs and repeated until a receive is posted",
            Settings.defaults().srq(8), Set.of(RC_SEND_ONLY), ACK,
            Operation::receiverNotReady),
        faulty("dead-peer", "the responder's queue pair is gone: the SEND is repeated until the retry count is exhausted",
            Settings.defaults().retries(12, 2, 7), Set.of(RC_SEND_ONLY), Set.of(), (a, b) -> {
                b.close();
                a.post(Work.send(1).part(0, 33));
                one(a).expect(1, WcStatus.RETRY_EXC_ERR);
            }));

    /** Timeout code of {@link #RETRIES}: 67 ms. */
    public static final int RETRY_TIMEOUT = 14;
    /** Retry count that kernel rxe takes for endless. */
    public static final int MOST_RETRIES = 7;

    /** A SEND to a queue pair that never answers, fresh or after a SEND that was answered. */
    public static final List<Operation> RETRIES = Stream.of(0, 1, 3, MOST_RETRIES)
        .flatMap(retries -> Stream.of(false, true).map(sampled -> neverAnswered(retries, sampled))).toList();

    private static final Settings UC = Settings.defaults().service(QpType.UC);
    private static final Settings UD = Settings.defaults().service(QpType.UD).mtu(Mtu.MTU_4096);

    /** Operations over UC and UD, none of which is answered. */
    public static final List<Operation> UNRELIABLE = List.of(
        with("uc-send-imm-3001", "UC SEND with immediate, three packets", UC, Set.of(UC_SEND_FIRST, UC_SEND_LAST_WITH_IMMEDIATE), Set.of(),
            (a, b) -> send(a, b, Work.sendWithImmediate(1, IMMEDIATE), 3001).expectImmediate(IMMEDIATE)),
        with("uc-write-5000", "UC WRITE of five packets, then a SEND that announces it", UC,
            Set.of(UC_RDMA_WRITE_FIRST, UC_RDMA_WRITE_MIDDLE, UC_RDMA_WRITE_LAST, UC_SEND_ONLY), Set.of(), Operation::writeAndTell),
        with("uc-write-imm-2500", "UC WRITE with immediate, three packets", UC,
            Set.of(UC_RDMA_WRITE_FIRST, UC_RDMA_WRITE_LAST_WITH_IMMEDIATE), Set.of(), (a, b) -> writeWithImmediate(a, b, 2500)),
        with("ud-send-33", "UD SEND, received with its header", UD, Set.of(UD_SEND_ONLY), Set.of(),
            (a, b) -> datagram(a, b, Work.send(1), 33)),
        with("ud-send-imm-4096", "UD SEND with immediate, of the port's maximum length", UD, Set.of(UD_SEND_ONLY_WITH_IMMEDIATE), Set.of(),
            (a, b) -> datagram(a, b, Work.sendWithImmediate(1, IMMEDIATE), 4096).expectImmediate(IMMEDIATE)),
        with("ud-send-0", "UD SEND of nothing", UD, Set.of(UD_SEND_ONLY), Set.of(), (a, b) -> datagram(a, b, Work.send(1), 0)),
        with("multicast", "the responder joins an IPv4 group, a datagram with immediate is sent to it", UD,
            Set.of(UD_SEND_ONLY_WITH_IMMEDIATE), Set.of(), Operation::multicast));

    private static final Settings PLACEMENT = Settings.defaults().flushable();

    /** Operations of the memory placement extensions, for kernels since 6.4. */
    public static final List<Operation> PLACEMENTS = List.of(
        with("atomic-write", "ATOMIC WRITE of eight bytes", PLACEMENT, Set.of(RC_ATOMIC_WRITE), Set.of(RC_RDMA_READ_RESPONSE_ONLY),
            Operation::atomicWrite),
        with("write-atomic-write", "WRITE of three packets and ATOMIC WRITE posted at once, as for a log", PLACEMENT,
            Set.of(RC_RDMA_WRITE_FIRST, RC_ATOMIC_WRITE), Set.of(RC_RDMA_READ_RESPONSE_ONLY), Operation::log),
        with("atomic-write-outside", "ATOMIC WRITE behind the region's end is refused", PLACEMENT, Set.of(RC_ATOMIC_WRITE),
            Set.of(RC_ACKNOWLEDGE), (a, b) -> {
                a.post(Work.atomicWrite(1, b.reach().address() + Settings.defaults().size(), b.reach().rkey()).part(0, 8));
                one(a).expect(1, WcStatus.REM_ACCESS_ERR);
            }),
        faulty("flush", "WRITE and FLUSH: the FLUSH is dropped for its ICRC, and repeated until the retry count is exhausted",
            PLACEMENT.retries(12, 2, 7),
            Set.of(RC_RDMA_WRITE_ONLY, RC_FLUSH), ACK, Operation::flush));

    /** FLUSHes in which our requester computes the ICRC of Linux 6.12; the kernel is the responder. */
    public static final List<Operation> FLUSHES_OF_RXE = List.of(
        faulty("flush-rxe-icrc", "FLUSH of a range with the kernel's kind of ICRC, sent past the queue pair: executed", PLACEMENT,
            Set.of(), Set.of(RC_RDMA_READ_RESPONSE_ONLY), (a, b) -> flushOfRxe(a, b, "RTS")),
        new Operation("flush-rxe-icrc-refused", "FLUSH with the kernel's kind of ICRC to a region without the permission: NAK", PLACEMENT,
            PLACEMENT.regionAccess(Settings.ACCESS).psn(0xabcdef), Set.of(), ACK, true, (a, b) -> flushOfRxe(a, b, "ERR")));

    public static Operation find(String name) {
        return Stream.of(ALL, RETRIES, UNRELIABLE, PLACEMENTS, FLUSHES_OF_RXE).flatMap(List::stream)
            .filter(each -> each.name.equals(name)).findFirst().orElseThrow();
    }

    private static Operation plain(String name, String sentence, Set<Integer> requests, Set<Integer> responses, Body body) {
        return with(name, sentence, Settings.defaults(), requests, responses, body);
    }

    private static Operation with(String name, String sentence, Settings settings, Set<Integer> requests, Set<Integer> responses,
                                  Body body) {
        return new Operation(name, sentence, settings, settings.psn(0xabcdef), requests, responses, false, body);
    }

    private static Operation faulty(String name, String sentence, Settings settings, Set<Integer> requests, Set<Integer> responses,
                                    Body body) {
        return new Operation(name, sentence, settings, settings.psn(0xabcdef), requests, responses, true, body);
    }

    private static Operation neverAnswered(int retries, boolean sampled) {
        String name = "retry-" + retries + (sampled ? "-sampled" : "");
        Settings settings = Settings.defaults().retries(RETRY_TIMEOUT, retries, 7);
        String sentence = "a SEND to a queue pair that is gone, retry_cnt " + retries;
        return faulty(name, sentence, settings, Set.of(RC_SEND_ONLY), Set.of(), (a, b) -> {
            if (sampled) {
                send(a, b, Work.send(1), 33);
            }
            b.close();
            a.post(Work.send(2).part(0, 33));
            if (retries < MOST_RETRIES) {
                one(a).expect(2, WcStatus.RETRY_EXC_ERR);
            } else {
                a.completions(1, ENDLESS_SECONDS).forEach(each -> each.expect(2, WcStatus.RETRY_EXC_ERR));
            }
        });
    }

    // ---- exchanges ----

    private static byte[] pattern(int seed, int length) {
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

    private static void nothingMore(Endpoint endpoint) {
        List<Completion> completions = endpoint.completions(1, SHORT);
        if (!completions.isEmpty()) {
            throw new AssertionError("unexpected completion: " + completions.getFirst());
        }
    }

    /** Checks that the bytes are present and that the memory after them is still zero. */
    private static void holds(Endpoint endpoint, int offset, byte[] expected) {
        byte[] found = endpoint.bytes(offset, expected.length + 64);
        byte[] all = Arrays.copyOf(expected, expected.length + 64);
        int differs = Arrays.mismatch(all, found);
        if (differs >= 0) {
            throw new AssertionError("byte " + differs + " of " + expected.length + " is " + found[differs] + ", not " + all[differs]);
        }
    }

    private static void write(Endpoint requester, Endpoint responder, int length) {
        byte[] data = pattern(3, length);
        Endpoint.Reach to = responder.reach();
        requester.fill(0, data);
        requester.post(Work.write(1, to.address() + 5, to.rkey()).part(0, length));
        one(requester).expect(1, WcOpcode.RDMA_WRITE);
        holds(responder, 5, data);
    }

    private static void writeNothing(Endpoint requester, Endpoint responder) {
        requester.fill(0, pattern(3, 64));
        requester.post(Work.write(1, 0x1000, 0x4711));
        one(requester).expect(1, WcOpcode.RDMA_WRITE);
        holds(responder, 0, new byte[0]);
    }

    private static void read(Endpoint requester, Endpoint responder, int length) {
        byte[] data = pattern(17, length);
        Endpoint.Reach from = responder.reach();
        int offset = 8192;
        responder.fill(offset + 3, data);
        requester.post(Work.read(2, from.address() + offset + 3, from.rkey()).part(offset + 9, length));
        one(requester).expect(2, WcOpcode.RDMA_READ).expectBytes(length);
        holds(requester, offset + 9, data);
    }

    private static void manyReads(Endpoint requester, Endpoint responder) {
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

    private static byte[] bytesOf(long value) {
        return ByteBuffer.allocate(8).order(ByteOrder.nativeOrder()).putLong(value).array();
    }

    private static void compareAndSwap(Endpoint requester, Endpoint responder) {
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

    private static void fetchAndAdd(Endpoint requester, Endpoint responder) {
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

    private static Completion send(Endpoint requester, Endpoint responder, Work work, int length) {
        byte[] data = pattern(41, length);
        requester.fill(0, data);
        responder.receive(7, new Work.Part(100, 8000));
        requester.post(length == 0 ? work : work.part(0, length));
        one(requester).expect(1, WcOpcode.SEND);
        Completion received = one(responder).expect(7, WcOpcode.RECV).expectBytes(length);
        holds(responder, 100, data);
        return received;
    }

    private static void writeWithImmediate(Endpoint requester, Endpoint responder, int length) {
        byte[] data = pattern(5, length);
        Endpoint.Reach to = responder.reach();
        requester.fill(0, data);
        responder.receive(7);
        Work work = Work.writeWithImmediate(1, to.address() + 1, to.rkey(), IMMEDIATE);
        requester.post(length == 0 ? work : work.part(0, length));
        one(requester).expect(1, WcOpcode.RDMA_WRITE);
        one(responder).expect(7, WcOpcode.RECV_RDMA_WITH_IMM).expectBytes(length).expectImmediate(IMMEDIATE);
        holds(responder, 1, data);
    }

    private static void sendWithInvalidate(Endpoint requester, Endpoint responder) {
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

    private static void localInvalidate(Endpoint requester, Endpoint responder) {
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

    private static void typeOneWindow(Endpoint requester, Endpoint responder) {
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

    private static void sharedReceives(Endpoint requester, Endpoint responder) {
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

    private static void unsignaled(Endpoint requester, Endpoint responder) {
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

    private static void inline(Endpoint requester, Endpoint responder) {
        byte[] data = pattern(77, 100);
        requester.fill(0, data);
        responder.receive(7, new Work.Part(0, 4096));
        requester.post(Work.send(1).part(0, 60).part(60, 40).also(SendFlags.INLINE));
        requester.fill(0, new byte[100]);
        one(requester).expect(1, WcOpcode.SEND);
        one(responder).expect(7, WcOpcode.RECV).expectBytes(100);
        holds(responder, 0, data);
    }

    private static void lists(Endpoint requester, Endpoint responder) {
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

    private static void pipeline(Endpoint requester, Endpoint responder) {
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
        requester.post(Work.writeWithImmediate(5, at.address() + 30_000, at.rkey(), IMMEDIATE).part(0, 2500));
        one(requester).expect(1, WcOpcode.RDMA_WRITE);
        one(requester).expect(2, WcOpcode.FETCH_ADD);
        one(requester).expect(3, WcOpcode.RDMA_READ).expectBytes(3000);
        one(requester).expect(4, WcOpcode.SEND);
        one(requester).expect(5, WcOpcode.RDMA_WRITE);
        one(responder).expect(71, WcOpcode.RECV).expectBytes(500);
        one(responder).expect(72, WcOpcode.RECV_RDMA_WITH_IMM).expectBytes(2500).expectImmediate(IMMEDIATE);
        holds(responder, 0, data);
        holds(requester, 20_000, data);
        holds(requester, 8000, bytesOf(OLD));
        holds(responder, 8000, bytesOf(OLD + 1));
        // The fence: the SEND must have sent the data that the READ placed.
        holds(responder, 10_000, Arrays.copyOf(data, 500));
        holds(responder, 30_000, Arrays.copyOf(data, 2500));
    }

    private static void writeAndTell(Endpoint requester, Endpoint responder) {
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

    private static Completion datagram(Endpoint requester, Endpoint responder, Work work, int length) {
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

    private static void multicast(Endpoint requester, Endpoint responder) {
        byte[] data = pattern(43, 1000);
        responder.join(GROUP);
        requester.fill(0, data);
        requester.post(Work.sendWithImmediate(1, IMMEDIATE).part(0, data.length).toGroup(GROUP));
        one(requester).expect(1, WcOpcode.SEND);
        Endpoint.Datagram received = responder.fromGroup();
        if (received.sourceQpn() != requester.reach().qpn() || received.immediate() != IMMEDIATE
                || !Arrays.equals(received.payload(), data)) {
            throw new AssertionError("expected " + data.length + " bytes of 0x" + Integer.toHexString(requester.reach().qpn()) + ", got "
                + received.payload().length + " of 0x" + Integer.toHexString(received.sourceQpn()) + ", immediate 0x"
                + Integer.toHexString(received.immediate()));
        }
    }

    private static void atomicWrite(Endpoint requester, Endpoint responder) {
        Endpoint.Reach at = responder.reach();
        byte[] data = pattern(11, 8);
        requester.fill(40, data);
        requester.post(Work.atomicWrite(1, at.address() + 16, at.rkey()).part(40, 8));
        one(requester).expect(1, WcOpcode.ATOMIC_WRITE);
        holds(responder, 16, data);
    }

    private static void flush(Endpoint requester, Endpoint responder) {
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
    private static void flushOfRxe(Endpoint requester, Endpoint responder, String stateAfter) {
        Endpoint.Reach from = requester.reach();
        Endpoint.Reach at = responder.reach();
        requester.sendRaw(at.gid(), RawPacket.flushOfRxe(from.gid(), at.gid(), at.qpn(), from.psn(), at.address() + 64, at.rkey(), 3000));
        nothingMore(requester);
        if (!responder.state().equals(stateAfter)) {
            throw new AssertionError("the responder is in " + responder.state() + ", not " + stateAfter);
        }
    }

    private static void log(Endpoint requester, Endpoint responder) {
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

    private static void receiverNotReady(Endpoint requester, Endpoint responder) {
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
