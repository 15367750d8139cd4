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

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.QpType;
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

    /** Long enough for more than eight transmissions. */
    private static final double ENDLESS_SECONDS = 1.5;
    static final int IMMEDIATE = 0xdeadbeef;
    private static final Set<Integer> ACK = Set.of(RC_ACKNOWLEDGE);
    private static final Set<Integer> WRITES = Set.of(RC_RDMA_WRITE_FIRST, RC_RDMA_WRITE_MIDDLE, RC_RDMA_WRITE_LAST);
    private static final Set<Integer> READ = Set.of(RC_RDMA_READ_REQUEST);
    private static final Set<Integer> READ_RESPONSES =
        Set.of(RC_RDMA_READ_RESPONSE_FIRST, RC_RDMA_READ_RESPONSE_MIDDLE, RC_RDMA_READ_RESPONSE_LAST);

    public static final List<Operation> ALL = List.of(
        plain("write-33", "WRITE of 33 bytes, one padded packet", Set.of(RC_RDMA_WRITE_ONLY), ACK, (a, b) -> Exchanges.write(a, b, 33)),
        plain("write-5000", "WRITE of 5000 bytes, five packets", WRITES, ACK, (a, b) -> Exchanges.write(a, b, 5000)),
        with("write-mtu-256", "WRITE of 1000 bytes at path MTU 256", Settings.defaults().mtu(Mtu.MTU_256), WRITES, ACK,
            (a, b) -> Exchanges.write(a, b, 1000)),
        with("write-mtu-4096", "WRITE of 10001 bytes at path MTU 4096", Settings.defaults().mtu(Mtu.MTU_4096), WRITES, ACK,
            (a, b) -> Exchanges.write(a, b, 10_001)),
        with("write-1M", "WRITE of 1 MiB and 3 bytes, beyond every window", Settings.defaults().size(2 << 20), WRITES, ACK,
            (a, b) -> Exchanges.write(a, b, (1 << 20) + 3)),
        plain("write-0", "empty WRITE to an address and a key that do not exist", Set.of(RC_RDMA_WRITE_ONLY), ACK,
            Exchanges::writeNothing),
        plain("read-33", "READ of 33 bytes", READ, Set.of(RC_RDMA_READ_RESPONSE_ONLY), (a, b) -> Exchanges.read(a, b, 33)),
        plain("read-5000", "READ of 5000 bytes, five response packets", READ, READ_RESPONSES, (a, b) -> Exchanges.read(a, b, 5000)),
        with("read-mtu-256", "READ of 1000 bytes at path MTU 256", Settings.defaults().mtu(Mtu.MTU_256), READ, READ_RESPONSES,
            (a, b) -> Exchanges.read(a, b, 1000)),
        with("read-1M", "READ of 1 MiB and 3 bytes", Settings.defaults().size(2 << 20), READ, READ_RESPONSES,
            (a, b) -> Exchanges.read(a, b, (1 << 20) + 3)),
        with("read-16", "sixteen READs at once, four allowed in flight", Settings.defaults().fetches(4, 4), READ, READ_RESPONSES,
            Exchanges::manyReads),
        plain("read-0", "READ of nothing", READ, Set.of(RC_RDMA_READ_RESPONSE_ONLY), (a, b) -> {
            a.post(Work.read(1, 0x1000, 0x4711));
            Exchanges.one(a).expect(1, WcOpcode.RDMA_READ).expectBytes(0);
        }),
        plain("cmp-swap", "CMP_SWAP that matches, then one that does not", Set.of(RC_COMPARE_SWAP),
            Set.of(RC_ATOMIC_ACKNOWLEDGE), Exchanges::compareAndSwap),
        plain("fetch-add", "FETCH_ADD, then one that wraps around", Set.of(RC_FETCH_ADD), Set.of(RC_ATOMIC_ACKNOWLEDGE),
            Exchanges::fetchAndAdd),
        plain("send-0", "SEND of nothing", Set.of(RC_SEND_ONLY), ACK, (a, b) -> Exchanges.send(a, b, Work.send(1), 0)),
        plain("send-2500", "SEND of 2500 bytes, three packets", Set.of(RC_SEND_FIRST, RC_SEND_MIDDLE, RC_SEND_LAST), ACK,
            (a, b) -> Exchanges.send(a, b, Work.send(1), 2500)),
        plain("send-imm-33", "SEND with immediate, one packet", Set.of(RC_SEND_ONLY_WITH_IMMEDIATE), ACK,
            (a, b) -> Exchanges.send(a, b, Work.sendWithImmediate(1, IMMEDIATE), 33).expectImmediate(IMMEDIATE)),
        plain("send-imm-3001", "SEND with immediate, three packets", Set.of(RC_SEND_FIRST, RC_SEND_LAST_WITH_IMMEDIATE), ACK,
            (a, b) -> Exchanges.send(a, b, Work.sendWithImmediate(1, IMMEDIATE), 3001).expectImmediate(IMMEDIATE)),
        plain("send-imm-0", "SEND with immediate and no data", Set.of(RC_SEND_ONLY_WITH_IMMEDIATE), ACK,
            (a, b) -> Exchanges.send(a, b, Work.sendWithImmediate(1, IMMEDIATE), 0).expectImmediate(IMMEDIATE)),
        plain("write-imm-33", "WRITE with immediate, one packet", Set.of(RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE), ACK,
            (a, b) -> Exchanges.writeWithImmediate(a, b, 33)),
        plain("write-imm-2500", "WRITE with immediate, three packets", Set.of(RC_RDMA_WRITE_FIRST, RC_RDMA_WRITE_LAST_WITH_IMMEDIATE), ACK,
            (a, b) -> Exchanges.writeWithImmediate(a, b, 2500)),
        plain("write-imm-0", "WRITE with immediate and no data", Set.of(RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE), ACK,
            (a, b) -> Exchanges.writeWithImmediate(a, b, 0)),
        plain("send-inv", "the responder binds a type 2 window, a WRITE goes through it, a SEND invalidates it, a WRITE is refused",
            Set.of(RC_RDMA_WRITE_ONLY, RC_SEND_ONLY_WITH_INVALIDATE), ACK, Exchanges::sendWithInvalidate),
        plain("mw-2b-local-inv", "the responder binds a type 2 window, a READ goes through it, its owner invalidates it, a READ is refused",
            Set.of(RC_RDMA_READ_REQUEST), Set.of(RC_RDMA_READ_RESPONSE_ONLY), Exchanges::localInvalidate),
        plain("mw-type-1",
            "the responder binds a type 1 window, again elsewhere, and unbinds it; WRITEs go where it is bound, the last is refused",
            Set.of(RC_RDMA_WRITE_ONLY), ACK, Exchanges::typeOneWindow),
        with("srq", "SENDs of one and three packets into receives of a shared queue", Settings.defaults().srq(8),
            Set.of(RC_SEND_ONLY, RC_SEND_FIRST), ACK, Exchanges::sharedReceives),
        plain("unsignaled", "twenty SENDs of which only the last is signaled", Set.of(RC_SEND_ONLY), ACK, Exchanges::unsignaled),
        plain("inline", "an inline SEND whose buffer is overwritten at once", Set.of(RC_SEND_ONLY), ACK, Exchanges::inline),
        plain("sge-lists", "SEND gathered from four pieces and scattered over three, WRITE and READ by lists",
            Set.of(RC_SEND_FIRST, RC_RDMA_WRITE_FIRST, RC_RDMA_READ_REQUEST), Set.of(RC_ACKNOWLEDGE, RC_RDMA_READ_RESPONSE_FIRST),
            Exchanges::lists),
        plain("pipeline", "WRITE, FETCH_ADD, READ, fenced SEND and WRITE with immediate posted at once complete in order",
            Set.of(RC_RDMA_WRITE_FIRST, RC_FETCH_ADD, RC_RDMA_READ_REQUEST, RC_SEND_ONLY, RC_RDMA_WRITE_LAST_WITH_IMMEDIATE),
            Set.of(RC_ACKNOWLEDGE, RC_ATOMIC_ACKNOWLEDGE, RC_RDMA_READ_RESPONSE_LAST), Exchanges::pipeline),
        with("psn-wrap", "WRITE and READ whose PSNs wrap at 0xffffff", Settings.defaults().psn(0xfffffe),
            Set.of(RC_RDMA_WRITE_LAST, RC_RDMA_READ_REQUEST), READ_RESPONSES, (a, b) -> {
                Exchanges.write(a, b, 5000);
                Exchanges.read(a, b, 5000);
            }),
        faulty("rnr", "a SEND without a receive is answered with RNR NAKs and repeated until one is posted", Settings.defaults(),
            Set.of(RC_SEND_ONLY), ACK, Exchanges::receiverNotReady),
        faulty("srq-rnr", "a SEND to an empty shared receive queue is answered with RNR NAKs and repeated until a receive is posted",
            Settings.defaults().srq(8), Set.of(RC_SEND_ONLY), ACK,
            Exchanges::receiverNotReady),
        faulty("dead-peer", "the responder's queue pair is gone: the SEND is repeated until the retry count is exhausted",
            Settings.defaults().retries(12, 2, 7), Set.of(RC_SEND_ONLY), Set.of(), (a, b) -> {
                b.close();
                a.post(Work.send(1).part(0, 33));
                Exchanges.one(a).expect(1, WcStatus.RETRY_EXC_ERR);
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
            (a, b) -> Exchanges.send(a, b, Work.sendWithImmediate(1, IMMEDIATE), 3001).expectImmediate(IMMEDIATE)),
        with("uc-write-5000", "UC WRITE of five packets, then a SEND that announces it", UC,
            Set.of(UC_RDMA_WRITE_FIRST, UC_RDMA_WRITE_MIDDLE, UC_RDMA_WRITE_LAST, UC_SEND_ONLY), Set.of(), Exchanges::writeAndTell),
        with("uc-write-imm-2500", "UC WRITE with immediate, three packets", UC,
            Set.of(UC_RDMA_WRITE_FIRST, UC_RDMA_WRITE_LAST_WITH_IMMEDIATE), Set.of(), (a, b) -> Exchanges.writeWithImmediate(a, b, 2500)),
        with("ud-send-33", "UD SEND, received with its header", UD, Set.of(UD_SEND_ONLY), Set.of(),
            (a, b) -> Exchanges.datagram(a, b, Work.send(1), 33)),
        with("ud-send-imm-4096", "UD SEND with immediate, of the port's maximum length", UD, Set.of(UD_SEND_ONLY_WITH_IMMEDIATE), Set.of(),
            (a, b) -> Exchanges.datagram(a, b, Work.sendWithImmediate(1, IMMEDIATE), 4096).expectImmediate(IMMEDIATE)),
        with("ud-send-0", "UD SEND of nothing", UD, Set.of(UD_SEND_ONLY), Set.of(), (a, b) -> Exchanges.datagram(a, b, Work.send(1), 0)),
        with("multicast", "the responder joins an IPv4 group, a datagram with immediate is sent to it", UD,
            Set.of(UD_SEND_ONLY_WITH_IMMEDIATE), Set.of(), Exchanges::multicast));

    private static final Settings PLACEMENT = Settings.defaults().flushable();

    /** Operations of the memory placement extensions, for kernels since 6.4. */
    public static final List<Operation> PLACEMENTS = List.of(
        with("atomic-write", "ATOMIC WRITE of eight bytes", PLACEMENT, Set.of(RC_ATOMIC_WRITE), Set.of(RC_RDMA_READ_RESPONSE_ONLY),
            Exchanges::atomicWrite),
        with("write-atomic-write", "WRITE of three packets and ATOMIC WRITE posted at once, as for a log", PLACEMENT,
            Set.of(RC_RDMA_WRITE_FIRST, RC_ATOMIC_WRITE), Set.of(RC_RDMA_READ_RESPONSE_ONLY), Exchanges::log),
        with("atomic-write-outside", "ATOMIC WRITE behind the region's end is refused", PLACEMENT, Set.of(RC_ATOMIC_WRITE),
            Set.of(RC_ACKNOWLEDGE), (a, b) -> {
                a.post(Work.atomicWrite(1, b.reach().address() + Settings.defaults().size(), b.reach().rkey()).part(0, 8));
                Exchanges.one(a).expect(1, WcStatus.REM_ACCESS_ERR);
            }),
        faulty("flush", "WRITE and FLUSH: the FLUSH is dropped for its ICRC, and repeated until the retry count is exhausted",
            PLACEMENT.retries(12, 2, 7),
            Set.of(RC_RDMA_WRITE_ONLY, RC_FLUSH), ACK, Exchanges::flush));

    /** FLUSHes in which our requester computes the ICRC of Linux 6.12; the kernel is the responder. */
    public static final List<Operation> FLUSHES_OF_RXE = List.of(
        faulty("flush-rxe-icrc", "FLUSH of a range with the kernel's kind of ICRC, sent past the queue pair: executed", PLACEMENT,
            Set.of(), Set.of(RC_RDMA_READ_RESPONSE_ONLY), (a, b) -> Exchanges.flushOfRxe(a, b, "RTS")),
        new Operation("flush-rxe-icrc-refused", "FLUSH with the kernel's kind of ICRC to a region without the permission: NAK", PLACEMENT,
            PLACEMENT.regionAccess(Settings.ACCESS).psn(0xabcdef), Set.of(), ACK, true, (a, b) -> Exchanges.flushOfRxe(a, b, "ERR")));

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
                Exchanges.send(a, b, Work.send(1), 33);
            }
            b.close();
            a.post(Work.send(2).part(0, 33));
            if (retries < MOST_RETRIES) {
                Exchanges.one(a).expect(2, WcStatus.RETRY_EXC_ERR);
            } else {
                a.completions(1, ENDLESS_SECONDS).forEach(each -> each.expect(2, WcStatus.RETRY_EXC_ERR));
            }
        });
    }
}
