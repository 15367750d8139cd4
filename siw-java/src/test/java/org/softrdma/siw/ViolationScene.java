// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.softrdma.device.agent.Deadline;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.siw.mpa.Agreement;
import org.softrdma.siw.mpa.StreamParameters;
import org.softrdma.siw.qp.SiwMachine;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;

/**
 * A queue pair with memory open to its peer in various ways, two posted receives, and a peer that violates the protocol. Each violation is
 * checked completely: the bytes of the Terminate, its code as RFC 5040 §4.8, RFC 5041 §7.2 and RFC 5044 §8 have it, the asynchronous event,
 * the counter, all completions, the state, the end of the stream, and that no memory has changed.
 */
final class ViolationScene {
    static final int SIZE = 4096;
    static final int RECEIVE_BYTES = 64;
    private static final byte FILL = 0x5a;
    private static final String[] ERRORS = {"bad_crc", "bad_framing", "bad_segment", "bad_access", "no_buffer", "too_long", "local_errors"};

    /** The end of a connection after a violation: code of the Terminate, whether it contains the segment's headers, counter, event. */
    enum Refusal {
        PROTECTION_INVALID_STAG(0x0100, true, "bad_access", AsyncEventType.QP_ACCESS_ERR),
        PROTECTION_BASE_BOUNDS(0x0101, true, "bad_access", AsyncEventType.QP_ACCESS_ERR),
        PROTECTION_ACCESS_RIGHTS(0x0102, true, "bad_access", AsyncEventType.QP_ACCESS_ERR),
        PROTECTION_NOT_ASSOCIATED(0x0103, true, "bad_access", AsyncEventType.QP_ACCESS_ERR),
        PROTECTION_TO_WRAP(0x0104, true, "bad_access", AsyncEventType.QP_ACCESS_ERR),
        PROTECTION_CANNOT_INVALIDATE(0x0109, true, "bad_access", AsyncEventType.QP_ACCESS_ERR),
        RDMAP_VERSION(0x0205, false, "bad_segment", AsyncEventType.QP_REQ_ERR),
        /** The opcode is known, but not expected here. */
        UNEXPECTED_OPCODE(0x0206, true, "bad_segment", AsyncEventType.QP_REQ_ERR),
        /** The opcode is reserved, or contradicts the T bit: there are no headers that could be read. */
        UNKNOWN_OPCODE(0x0206, false, "bad_segment", AsyncEventType.QP_REQ_ERR),
        CATASTROPHIC_STREAM(0x0207, true, "bad_segment", AsyncEventType.QP_REQ_ERR),
        TAGGED_INVALID_STAG(0x1100, true, "bad_access", AsyncEventType.QP_ACCESS_ERR),
        TAGGED_BASE_BOUNDS(0x1101, true, "bad_access", AsyncEventType.QP_ACCESS_ERR),
        TAGGED_NOT_ASSOCIATED(0x1102, true, "bad_access", AsyncEventType.QP_ACCESS_ERR),
        TAGGED_TO_WRAP(0x1103, true, "bad_access", AsyncEventType.QP_ACCESS_ERR),
        TAGGED_DDP_VERSION(0x1104, false, "bad_segment", AsyncEventType.QP_REQ_ERR),
        INVALID_QN(0x1201, true, "bad_segment", AsyncEventType.QP_REQ_ERR),
        NO_BUFFER(0x1202, true, "no_buffer", AsyncEventType.QP_REQ_ERR),
        MSN_RANGE(0x1203, true, "bad_segment", AsyncEventType.QP_REQ_ERR),
        INVALID_MO(0x1204, true, "bad_segment", AsyncEventType.QP_REQ_ERR),
        TOO_LONG(0x1205, true, "too_long", AsyncEventType.QP_REQ_ERR),
        UNTAGGED_DDP_VERSION(0x1206, false, "bad_segment", AsyncEventType.QP_REQ_ERR),
        CRC(0x2002, false, "bad_crc", AsyncEventType.QP_FATAL),
        MARKER_OR_LENGTH(0x2003, false, "bad_framing", AsyncEventType.QP_FATAL);

        private final int code;
        private final boolean shown;
        private final String counter;
        private final AsyncEventType event;

        Refusal(int code, boolean shown, String counter, AsyncEventType event) {
            this.code = code;
            this.shown = shown;
            this.counter = counter;
            this.event = event;
        }

        private String terminate(String segment) {
            return shown ? RawSegment.terminate(code, RawPeer.plain(segment)) : RawSegment.terminate(code);
        }
    }

    final RawPeer peer;
    final SiwPair.Setup setup = new SiwPair.Setup();
    /** Open to everything. */
    final MemoryRegion target;
    private final boolean responder;
    private final List<MemoryRegion> watched = new ArrayList<>();
    private MemoryRegion scratch;
    private int receives;

    /** @param responder whether the connection waits for the peer's first frame, as responders do */
    ViolationScene(boolean responder, Consumer<SiwPair.Setup> change) {
        this.responder = responder;
        setup.sendNotBeforeNs = responder ? Deadline.NEVER : setup.sendNotBeforeNs;
        change.accept(setup);
        peer = new RawPeer(setup);
        target = open(SiwPair.ALL_REMOTE);
    }

    /** Registers memory that the violation must not change. */
    MemoryRegion open(int access) {
        return open(access, peer.side.pd);
    }

    MemoryRegion openElsewhere() {
        ProtectionDomain elsewhere = peer.side.context.allocatePd();
        return open(SiwPair.ALL_REMOTE, elsewhere);
    }

    private MemoryRegion open(int access, ProtectionDomain pd) {
        MemoryRegion region = pd.register(Arena.ofAuto().allocate(SIZE, 64).fill(FILL), access);
        watched.add(region);
        return region;
    }

    /** Registers memory and deregisters it again. */
    MemoryRegion openAndClose() {
        MemoryRegion region = open(SiwPair.ALL_REMOTE);
        region.close();
        return region;
    }

    /** Registers, once, memory that atomics may change. */
    MemoryRegion scratch() {
        if (scratch == null) {
            scratch = peer.side.memory(SIZE, SiwPair.ALL_REMOTE);
        }
        return scratch;
    }

    /** Posts a receive with its own memory. */
    void postReceive(int bytes) {
        MemoryRegion region = open(AccessFlags.LOCAL_WRITE);
        peer.side.qp.postReceive(new ReceiveRequest().begin(++receives).element(region, 0, bytes));
    }

    /** Binds a type 2 window to the second KiB of the target and returns its key. */
    int bindWindow(int access) {
        if (responder) {
            // A responder executes nothing before the peer's first frame.
            peer.send(RawSegment.write(0, 0, ""));
        }
        return bindWindow(peer.side.qp, access);
    }

    private int bindWindow(SiwQueuePair qp, int access) {
        MemoryWindow window = peer.side.pd.allocateMw(MemoryWindow.Type.TYPE_2);
        int key = MemoryWindow.nextRkey(window.rkey());
        qp.postSend(new SendRequest().bindWindow(key, target, target.address() + 1024, 1024, access));
        peer.run();
        assertNull(peer.next());
        return key;
    }

    /** Binds a type 1 window to the second KiB of the target and returns its key. */
    int bindTypeOneWindow(int access) {
        if (responder) {
            peer.send(RawSegment.write(0, 0, ""));
        }
        MemoryWindow window = peer.side.pd.allocateMw(MemoryWindow.Type.TYPE_1);
        peer.side.qp.bind(window, 0, target, target.address() + 1024, 1024, access, 0);
        peer.run();
        assertNull(peer.next());
        return window.rkey();
    }

    /** Binds a window by another queue pair of the same protection domain. */
    int bindWindowOfAnother() {
        SiwQueuePair other = peer.side.newQp(peer.side.pd, setup);
        other.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(AccessFlags.REMOTE_ANY));
        Agreement agreement = new Agreement(new StreamParameters(true, false, false, 1442), 1, 1, MpaOptions.Rtr.NONE, new byte[0]);
        other.connect(new RawPeer.Stream(), agreement, SiwMachine.AT_ONCE, () -> { });
        return bindWindow(other, AccessFlags.REMOTE_ANY);
    }

    private List<byte[]> content() {
        return watched.stream().map(region -> region.memory().toArray(ValueLayout.JAVA_BYTE)).toList();
    }

    private void assertUnchanged(List<byte[]> before) {
        List<byte[]> now = content();
        for (int i = 0; i < before.size(); i++) {
            assertArrayEquals(before.get(i), now.get(i), "memory " + i);
        }
    }

    /** Sends valid segments, which must not end the connection. */
    private void sendValid(List<String> segments) {
        for (String segment : segments) {
            peer.send(segment);
        }
        assertEquals(QpState.RTS, peer.side.qp.state());
        peer.rest();
    }

    /**
     * Sends segments, of which the last one violates the protocol.
     *
     * @param together whether all are received at once
     */
    void assertRefused(Refusal refusal, List<String> segments, boolean together, List<WcStatus> sends, List<WcStatus> receiveStatuses) {
        if (together) {
            List<byte[]> before = content();
            byte[] all = {};
            for (String segment : segments) {
                all = RawPeer.concat(all, peer.frame(RawPeer.bytes(segment)));
            }
            peer.sendBytes(withAWriteBehind(all));
            assertEnded(refusal, segments.getLast(), before, sends, receiveStatuses);
        } else {
            sendValid(segments.subList(0, segments.size() - 1));
            long frames = peer.side.counter("rcvd_fpdus");
            assertRefusedBytes(refusal, segments.getLast(), peer.frame(RawPeer.bytes(segments.getLast())), sends, receiveStatuses);
            assertEquals(frames + 1, peer.side.counter("rcvd_fpdus"));
        }
    }

    /** Sends bytes that violate the protocol. */
    void assertRefusedBytes(Refusal refusal, String segment, byte[] bytes, List<WcStatus> sends, List<WcStatus> receiveStatuses) {
        List<byte[]> before = content();
        peer.sendBytes(withAWriteBehind(bytes));
        assertEnded(refusal, segment, before, sends, receiveStatuses);
    }

    /** Adds a valid WRITE, received together with the violation, which must not be executed. */
    private byte[] withAWriteBehind(byte[] bytes) {
        return RawPeer.concat(bytes, peer.frame(RawPeer.bytes(RawSegment.write(target.rkey(), target.address(), "00"))));
    }

    private void assertEnded(Refusal refusal, String segment, List<byte[]> before, List<WcStatus> sends, List<WcStatus> receiveStatuses) {
        assertEquals(refusal.terminate(segment), peer.next());
        assertNull(peer.next());
        assertEquals(QpState.ERR, peer.side.qp.state());
        assertTrue(peer.stream.closed, "closed behind the Terminate");
        assertEquals(List.of(refusal.event), peer.side.events());
        for (String counter : ERRORS) {
            assertEquals(counter.equals(refusal.counter) ? 1 : 0, peer.side.counter(counter), counter);
        }
        assertEquals(1, peer.side.counter("sent_terminates"));
        assertEquals(sends, peer.side.sendStatuses());
        assertEquals(receiveStatuses, peer.side.receiveStatuses());
        assertUnchanged(before);
        peer.send(RawSegment.write(target.rkey(), target.address(), "00"));
        assertUnchanged(before);
    }

    /** Sends segments just inside the limits, and a WRITE behind them, which must be placed. */
    void assertTaken(List<String> segments, boolean together) {
        if (together) {
            byte[] all = {};
            for (String segment : segments) {
                all = RawPeer.concat(all, peer.frame(RawPeer.bytes(segment)));
            }
            peer.sendBytes(all);
        } else {
            sendValid(segments);
        }
        assertGoesOn();
    }

    /** Asserts that the connection is in use without any error. */
    void assertGoesOn() {
        boolean writable = (setup.access & AccessFlags.REMOTE_WRITE) != 0;
        peer.send(RawSegment.write(target.rkey(), target.address() + SIZE - 1, writable ? "7e" : ""));
        assertEquals(writable ? 0x7e : FILL, target.memory().get(ValueLayout.JAVA_BYTE, SIZE - 1));
        assertEquals(QpState.RTS, peer.side.qp.state());
        assertEquals(List.of(), peer.side.events());
        for (String counter : ERRORS) {
            assertEquals(0, peer.side.counter(counter), counter);
        }
        assertEquals(0, peer.side.counter("sent_terminates"));
        assertEquals(Collections.nCopies(peer.side.receives().size(), WcStatus.SUCCESS), peer.side.receiveStatuses());
        assertEquals(Collections.nCopies(peer.side.sends().size(), WcStatus.SUCCESS), peer.side.sendStatuses());
    }
}
