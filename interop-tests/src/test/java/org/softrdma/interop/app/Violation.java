// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop.app;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.QpType;
import org.softrdma.wire.roce.Opcode;

/**
 * A request that a responder must not accept, and the observation of its answer. Requests that no requester would send are sent as
 * datagrams past the queue pair. No row may contain a request that is known to crash the kernel: a WRITE Only with RETH length 0 and a
 * payload does.
 *
 * @param name description of the request, a row of the table
 * @param iba  the answer on the wire according to IBA vol 1 §9.7.5, §9.8, §9.9.3, and the other effects, as we understand them
 */
public record Violation(String name, String iba, Settings requester, Settings responder, Body body) {
    private static final double SECONDS = 10;
    private static final double SHORT = 0.2;
    private static final long ERROR_WAIT_NS = 1_000_000_000;
    private static final int WR = 1;
    private static final int MTU = 1024;

    /** Code that sends the request. */
    interface Body {
        /**
         * Sends the request.
         *
         * @return whether it was posted as a work request, whose completion is part of the observation
         */
        boolean run(Endpoint requester, Endpoint responder);
    }

    private static final Settings PLAIN = Settings.defaults();
    private static final String INVALID = "NAK 0x61";
    private static final String ACCESS = "NAK 0x62";
    /** Either of two answers; the specification permits both. */
    private static final String EITHER = "NAK 0x61 or 0x62";
    private static final String OPERATIONAL = "NAK 0x63";
    private static final String SILENCE = "no answer";
    private static final String NEXT_TWO = "no answer; receive SUCCESS, SUCCESS";
    private static final String TOO_LONG = "no answer; receive LOC_LEN_ERR or dropped";
    private static final Settings UC = PLAIN.service(QpType.UC);
    private static final Settings UD = PLAIN.service(QpType.UD);

    public static final List<Violation> ALL = List.of(
        row("WRITE with a wrong key byte", ACCESS, (a, b) -> post(a, write(b, 0, b.reach().rkey() ^ 0xff, 64))),
        row("READ with an unknown key", ACCESS, (a, b) -> post(a, Work.read(WR, b.reach().address(), 0x00abcd12).part(0, 64))),
        row("WRITE that ends 1 byte behind the region", ACCESS, (a, b) -> post(a, write(b, 65536 - 63, b.reach().rkey(), 64))),
        row("READ of 5000 bytes whose last packet is outside the region", ACCESS,
            (a, b) -> post(a, Work.read(WR, b.reach().address() + 65536 - 4999, b.reach().rkey()).part(0, 5000))),
        row("WRITE to a region without REMOTE_WRITE", ACCESS, PLAIN,
            PLAIN.regionAccess(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ), (a, b) -> post(a, write(b, 0, b.reach().rkey(), 64))),
        row("WRITE to a region of another protection domain", ACCESS, (a, b) -> {
            Endpoint.Target foreign = b.foreignRegion(4096);
            return post(a, Work.write(WR, foreign.address(), foreign.rkey()).part(0, 64));
        }),
        row("READ from a region that was closed", ACCESS, (a, b) -> {
            b.deregister();
            return post(a, Work.read(WR, b.reach().address(), b.reach().rkey()).part(0, 64));
        }),
        row("READ, the queue pair lacks REMOTE_READ", EITHER, PLAIN, PLAIN.qpAccess(AccessFlags.REMOTE_WRITE),
            (a, b) -> post(a, Work.read(WR, b.reach().address(), b.reach().rkey()).part(0, 64))),
        row("WRITE, the queue pair lacks REMOTE_WRITE", EITHER, PLAIN, PLAIN.qpAccess(AccessFlags.REMOTE_READ),
            (a, b) -> post(a, write(b, 0, b.reach().rkey(), 64))),
        row("READ, max_dest_rd_atomic is 0", EITHER, PLAIN, PLAIN.fetches(16, 0),
            (a, b) -> post(a, Work.read(WR, b.reach().address(), b.reach().rkey()).part(0, 64))),
        row("FETCH_ADD on an address that is not a multiple of 8", INVALID,
            (a, b) -> {
                a.sendRaw(b.reach().gid(), RawPacket.fetchAndAdd(a.reach().gid(), b.reach().gid(), b.reach().qpn(), a.reach().psn(),
                    b.reach().address() + 4, b.reach().rkey()));      // libibverbs refuses to post such a request
                return false;
            }),
        row("SEND of 2500 bytes into a receive of 100", INVALID, (a, b) -> {
            b.receive(7, new Work.Part(0, 100));
            return post(a, Work.send(WR).part(0, 2500));
        }),
        row("SEND into a receive whose key is unknown", OPERATIONAL, (a, b) -> {
            b.receiveWithBadKey(7, 4096);
            return post(a, Work.send(WR).part(0, 33));
        }),
        row("SEND without a receive, rnr_retry 1", "RNR NAK", PLAIN.retries(14, 7, 1), PLAIN,
            (a, b) -> post(a, Work.send(WR).part(0, 33))),
        row("SEND with invalidate of an unknown key", ACCESS, (a, b) -> {
            b.receive(7, new Work.Part(0, 4096));
            return post(a, Work.sendWithInvalidate(WR, 0x00abcd12).part(0, 33));
        }),
        row("WRITE Middle without a First", INVALID,
            (a, b) -> raw(a, b, Opcode.RC_RDMA_WRITE_MIDDLE, 0, new byte[MTU])),
        row("SEND Last without a First", INVALID, (a, b) -> {
            b.receive(7, new Work.Part(0, 4096));
            return raw(a, b, Opcode.RC_SEND_LAST, 0, new byte[33]);
        }),
        row("WRITE Only inside a SEND", INVALID, (a, b) -> {
            b.receive(7, new Work.Part(0, 4096));
            raw(a, b, Opcode.RC_SEND_FIRST, 0, new byte[MTU]);
            return rdma(a, b, Opcode.RC_RDMA_WRITE_ONLY, 1, 32, new byte[32]);
        }),
        row("READ request inside a WRITE", INVALID, (a, b) -> {
            rdma(a, b, Opcode.RC_RDMA_WRITE_FIRST, 0, 2 * MTU, new byte[MTU]);
            return rdma(a, b, Opcode.RC_RDMA_READ_REQUEST, 1, 32, new byte[0]);
        }),
        row("WRITE First with less than a path MTU", INVALID,
            (a, b) -> rdma(a, b, Opcode.RC_RDMA_WRITE_FIRST, 0, 2 * MTU, new byte[MTU - 4])),
        row("WRITE Only with less than its RETH says", INVALID, (a, b) -> rdma(a, b, Opcode.RC_RDMA_WRITE_ONLY, 0, 64, new byte[32])),
        row("WRITE Only with more than its RETH says", INVALID, (a, b) -> rdma(a, b, Opcode.RC_RDMA_WRITE_ONLY, 0, 32, new byte[64])),
        row("WRITE Last that leaves bytes of its RETH over", INVALID, (a, b) -> {
            rdma(a, b, Opcode.RC_RDMA_WRITE_FIRST, 0, MTU + 64, new byte[MTU]);
            return raw(a, b, Opcode.RC_RDMA_WRITE_LAST, 1, new byte[32]);
        }),
        row("SEND First with less than a path MTU", INVALID, (a, b) -> {
            b.receive(7, new Work.Part(0, 4096));
            return raw(a, b, Opcode.RC_SEND_FIRST, 0, new byte[MTU - 4]);
        }),
        row("READ request of more than 2^31 bytes", INVALID,
            (a, b) -> rdma(a, b, Opcode.RC_RDMA_READ_REQUEST, 0, 0x8000_0001L, new byte[0])),
        row("an opcode that RC does not have (0x1f)", INVALID, (a, b) -> raw(a, b, 0x1f, 0, new byte[32])),
        row("a UC opcode on an RC queue pair", SILENCE, (a, b) -> raw(a, b, Opcode.UC_SEND_ONLY, 0, new byte[32])),
        row("PSN behind a gap", "NAK 0x60", (a, b) -> rdma(a, b, Opcode.RC_RDMA_WRITE_ONLY, 5, 32, new byte[32])),
        row("PSN of the past, a WRITE", "ACK", (a, b) -> rdma(a, b, Opcode.RC_RDMA_WRITE_ONLY, -3, 32, new byte[32])),
        row("a wrong P_Key", SILENCE, (a, b) -> {
            a.sendRaw(b.reach().gid(), RawPacket.plain(a.reach().gid(), b.reach().gid(), Opcode.RC_SEND_ONLY, 0x8001, b.reach().qpn(),
                a.reach().psn(), new byte[32]));
            return false;
        }),
        row("a wrong ICRC", SILENCE, (a, b) -> {
            byte[] packet = RawPacket.plain(a.reach().gid(), b.reach().gid(), Opcode.RC_SEND_ONLY, RawPacket.PKEY, b.reach().qpn(),
                a.reach().psn(), new byte[32]);
            packet[packet.length - 1] ^= 1;
            a.sendRaw(b.reach().gid(), packet);
            return false;
        }),
        uc("UC SEND that misses its Middle, then two of one packet", NEXT_TWO, (a, b) -> {
            receives(b);
            raw(a, b, Opcode.UC_SEND_FIRST, 0, new byte[MTU]);
            raw(a, b, Opcode.UC_SEND_LAST, 2, new byte[32]);
            return twoSends(a, b, 3);
        }),
        uc("UC WRITE that misses its Middle, then two SENDs of one packet", NEXT_TWO, (a, b) -> {
            receives(b);
            rdma(a, b, Opcode.UC_RDMA_WRITE_FIRST, 0, 3 * MTU, new byte[MTU]);
            raw(a, b, Opcode.UC_RDMA_WRITE_LAST, 2, new byte[MTU]);
            return twoSends(a, b, 3);
        }),
        uc("UC SEND that begins inside another, then one more", NEXT_TWO, (a, b) -> {
            receives(b);
            raw(a, b, Opcode.UC_SEND_FIRST, 0, new byte[MTU]);
            return twoSends(a, b, 1);
        }),
        uc("UC SEND Middle without a First, then two of one packet", NEXT_TWO, (a, b) -> {
            receives(b);
            raw(a, b, Opcode.UC_SEND_MIDDLE, 0, new byte[MTU]);
            return twoSends(a, b, 1);
        }),
        uc("UC WRITE that ends 1 byte behind the region", SILENCE, (a, b) -> post(a, write(b, 65536 - 63, b.reach().rkey(), 64))),
        uc("UC WRITE with a wrong key byte", SILENCE, (a, b) -> post(a, write(b, 0, b.reach().rkey() ^ 0xff, 64))),
        row("UC WRITE, the queue pair lacks REMOTE_WRITE", SILENCE, UC, UC.qpAccess(0),
            (a, b) -> post(a, write(b, 0, b.reach().rkey(), 64))),
        uc("UC SEND without a receive", SILENCE, (a, b) -> post(a, Work.send(WR).part(0, 33))),
        uc("UC SEND of 2500 bytes into a receive of 100", TOO_LONG, (a, b) -> {
            b.receive(7, new Work.Part(0, 100));
            return post(a, Work.send(WR).part(0, 2500));
        }),
        uc("UC SEND into a receive whose key is unknown", "no answer; receive LOC_PROT_ERR; responder ERR", (a, b) -> {
            b.receiveWithBadKey(7, 4096);
            return post(a, Work.send(WR).part(0, 33));
        }),
        uc("an RC opcode on a UC queue pair", SILENCE, (a, b) -> {
            receives(b);
            return raw(a, b, Opcode.RC_SEND_ONLY, 0, new byte[32]);
        }),
        ud("UD datagram with a wrong Q_Key", SILENCE, (a, b) -> {
            receives(b);
            return post(a, Work.send(WR).part(0, 33).qkey(Settings.QKEY ^ 1));
        }),
        ud("UD datagram without a receive", SILENCE, (a, b) -> post(a, Work.send(WR).part(0, 33))),
        ud("UD datagram of 500 bytes into a receive of 100", TOO_LONG, (a, b) -> {
            b.receive(7, new Work.Part(0, 100));
            return post(a, Work.send(WR).part(0, 500));
        }),
        ud("UD datagram longer than the MTU, the requester's mistake", "requester LOC_LEN_ERR", (a, b) -> {
            receives(b);
            return post(a, Work.send(WR).part(0, 5000));
        }),
        ud("UD datagram by an address handle of another protection domain, the requester's mistake", "requester is refused", (a, b) -> {
            receives(b);
            return post(a, Work.send(WR).part(0, 33).byForeignHandle());
        }),
        ud("a UC opcode on a UD queue pair", SILENCE, (a, b) -> {
            receives(b);
            return raw(a, b, Opcode.UC_SEND_ONLY, 0, new byte[32]);
        }),
        ud("UD datagram with a wrong ICRC", SILENCE, (a, b) -> {
            receives(b);
            byte[] packet = RawPacket.datagram(a.reach().gid(), b.reach().gid(), b.reach().qpn(), 0, Settings.QKEY, a.reach().qpn(),
                new byte[32]);
            packet[packet.length - 1] ^= 1;
            a.sendRaw(b.reach().gid(), packet);
            return false;
        }));

    public static Violation find(String name) {
        return ALL.stream().filter(each -> each.name.equals(name)).findFirst().orElseThrow();
    }

    private static Violation row(String name, String iba, Body body) {
        return row(name, iba, PLAIN, PLAIN, body);
    }

    private static Violation row(String name, String iba, Settings requester, Settings responder, Body body) {
        return new Violation(name, iba, requester, responder.psn(0xabcdef), body);
    }

    private static Violation uc(String name, String iba, Body body) {
        return row(name, iba, UC, UC, body);
    }

    private static Violation ud(String name, String iba, Body body) {
        return row(name, iba, UD, UD, body);
    }

    private static void receives(Endpoint endpoint) {
        for (int i = 0; i < 3; i++) {
            endpoint.receive(7 + i, new Work.Part(i * 8192, 8192));
        }
    }

    private static boolean twoSends(Endpoint requester, Endpoint responder, int psnOffset) {
        raw(requester, responder, Opcode.UC_SEND_ONLY, psnOffset, new byte[32]);
        return raw(requester, responder, Opcode.UC_SEND_ONLY, psnOffset + 1, new byte[32]);
    }

    private static Work write(Endpoint to, int offset, int rkey, int length) {
        return Work.write(WR, to.reach().address() + offset, rkey).part(0, length);
    }

    private static boolean post(Endpoint requester, Work work) {
        requester.post(work);
        return true;
    }

    private static boolean raw(Endpoint requester, Endpoint responder, int opcode, int psnOffset, byte[] payload) {
        Gid from = requester.reach().gid();
        Gid to = responder.reach().gid();
        requester.sendRaw(to, RawPacket.plain(from, to, opcode, RawPacket.PKEY, responder.reach().qpn(),
            requester.reach().psn() + psnOffset, payload));
        return false;
    }

    private static boolean rdma(Endpoint requester, Endpoint responder, int opcode, int psnOffset, long length, byte[] payload) {
        Gid from = requester.reach().gid();
        Gid to = responder.reach().gid();
        requester.sendRaw(to, RawPacket.rdma(from, to, opcode, responder.reach().qpn(), requester.reach().psn() + psnOffset,
            responder.reach().address(), responder.reach().rkey(), length, payload));
        return false;
    }

    /** Runs the violation, observes both sides and describes the result in one line. The NAK is taken from the capture. */
    String observe(Endpoint a, Endpoint b) {
        List<String> seen = new ArrayList<>();
        try {
            if (body.run(a, b)) {
                List<Completion> completions = a.completions(1, SECONDS);
                seen.add("requester " + (completions.isEmpty() ? "waits for ever" : completions.getFirst().status().name()));
            }
        } catch (Endpoint.Refused refused) {
            seen.add("requester is refused");
        }
        String state = awaitError(b);
        List<String> receives = new ArrayList<>();
        for (Completion each : b.completions(8, SHORT)) {
            if (each.wrId() != WR) {
                receives.add(each.status().name());
            }
        }
        if (!receives.isEmpty()) {
            seen.add("receive " + String.join(", ", receives));
        }
        seen.add("responder " + state);
        return String.join("; ", seen);
    }

    private static String awaitError(Endpoint endpoint) {
        long untilNs = System.nanoTime() + ERROR_WAIT_NS;
        String state = endpoint.state();
        while (!state.equals("ERR") && System.nanoTime() - untilNs < 0) {
            LockSupport.parkNanos(50_000_000);
            state = endpoint.state();
        }
        return state;
    }
}
