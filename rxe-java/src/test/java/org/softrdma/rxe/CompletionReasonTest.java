// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.link.fault.LinkFaults;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.WrOpcode;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;

/** Failed completions say why, with the values that their end knows; flushed ones say what came before. */
class CompletionReasonTest {
    private final SimulatedPair.Setup setup = new SimulatedPair.Setup();
    private SimulatedPair pair;
    private MemoryRegion from;

    private void start() {
        pair = new SimulatedPair(1, setup);
        from = pair.a.memory(4096, AccessFlags.LOCAL_WRITE);
    }

    private WorkCompletion sent(SendRequest request) {
        pair.a.qp.postSend(request.signaled());
        pair.runUntil(() -> !pair.a.sends().isEmpty());
        return pair.a.sends().getFirst();
    }

    private static void assertFailed(Failure expected, WorkCompletion completion) {
        assertEquals(expected, completion.explanation());
        Reason reason = expected.reason();
        assertEquals(reason.code(), completion.vendorError());
        assertEquals(reason.status(), completion.status());
        assertTrue(completion.toString().endsWith(": " + expected), completion::toString);
    }

    @Test
    void shouldExplainAWriteOutsideTheRegionAtBothEnds() {
        start();
        MemoryRegion to = pair.b.memory(4096, SimulatedPair.ALL_REMOTE);
        pair.b.qp.postReceive(new ReceiveRequest().begin(5).element(to, 0, 16));
        long outside = to.address() + 4090;
        WorkCompletion done = sent(new SendRequest().write(outside, to.rkey()).element(from, 0, 64));
        assertFailed(Failure.of(Reason.NAK_REMOTE_ACCESS, WrOpcode.RDMA_WRITE.value(), outside, 64, to.rkey()), done);

        Failure refused = Failure.of(Reason.RKEY_RANGE, to.rkey(), to.address(), 4096, WrOpcode.RDMA_WRITE.value(), outside, 64);
        assertFailed(Failure.of(Reason.FLUSHED).after(refused), pair.b.receives().getFirst());
        String text = pair.b.receives().getFirst().toString();
        assertTrue(text.contains(String.format("rkey 0x%x covers [0x%x, +4096), the RDMA_WRITE asked for [0x%x, +64)", to.rkey(),
            to.address(), outside)), text);
    }

    @Test
    void shouldExplainAMessageLongerThanItsReceiveAtBothEnds() {
        start();
        MemoryRegion to = pair.b.memory(16, AccessFlags.LOCAL_WRITE);
        pair.b.qp.postReceive(new ReceiveRequest().begin(5).element(to, 0, 16));
        WorkCompletion done = sent(new SendRequest().send().element(from, 0, 100));
        assertFailed(Failure.of(Reason.NAK_INVALID_REQUEST, WrOpcode.SEND.value(), 100), done);
        assertFailed(Failure.of(Reason.RECEIVE_TOO_SMALL, 100, 16), pair.b.receives().getFirst());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldNameTheAtomicWhoseAddressIsNotAligned(boolean swap) {
        start();
        MemoryRegion to = pair.b.memory(16, SimulatedPair.ALL_REMOTE);
        pair.b.qp.postReceive(new ReceiveRequest().begin(5).element(to, 0, 16));
        long address = to.address() + 4;
        SendRequest request = new SendRequest();
        sent((swap ? request.compareAndSwap(address, to.rkey(), 0, 1) : request.fetchAndAdd(address, to.rkey(), 1)).element(from, 0, 8));
        WrOpcode operation = swap ? WrOpcode.ATOMIC_CMP_AND_SWP : WrOpcode.ATOMIC_FETCH_AND_ADD;
        Failure refused = Failure.of(Reason.OPERAND_ALIGNMENT, operation.value(), address);
        assertFailed(Failure.of(Reason.FLUSHED).after(refused), pair.b.receives().getFirst());
    }

    @Test
    void shouldExplainElementsThatCannotBeUsed() {
        start();
        MemoryRegion closed = pair.a.memory(64, AccessFlags.LOCAL_WRITE);
        long address = closed.address();
        int lkey = closed.lkey();
        closed.close();
        WorkCompletion done = sent(new SendRequest().send().element(from, 0, 8).element(address, 64, lkey));
        assertFailed(Failure.of(Reason.LKEY_UNKNOWN, lkey, address, 64), done);

        start();
        MemoryRegion readOnly = pair.a.memory(64, 0);
        done = sent(new SendRequest().read(0, 0).element(readOnly, 0, 64));
        assertFailed(Failure.of(Reason.LKEY_ACCESS, readOnly.lkey(), 0, AccessFlags.LOCAL_WRITE), done);
    }

    @Test
    void shouldCountTransmissionsToAPeerThatIsGoneOrHasNoReceive() {
        setup.retryCount = 2;
        start();
        Rxe.setFaults(pair.b.context, LinkFaults.parse("drop=1,dir=both"));
        WorkCompletion done = sent(new SendRequest().send().element(from, 0, 8));
        // Timeout 14 is 4.096 us * 2^14 = 67.1 ms, and 1 ms for this host to read the answer.
        assertFailed(Failure.of(Reason.NO_ANSWER, pair.b.qp.qpNum(), 3, 68_108_864), done);

        setup.rnrRetry = 1;
        start();
        done = sent(new SendRequest().send().element(from, 0, 8));
        assertFailed(Failure.of(Reason.RECEIVER_NOT_READY, pair.b.qp.qpNum(), 2), done);
    }

    @Test
    void shouldSayThatTheApplicationEndedWhatIsFlushed() {
        start();
        MemoryRegion to = pair.b.memory(16, AccessFlags.LOCAL_WRITE);
        pair.b.qp.postReceive(new ReceiveRequest().begin(5).element(to, 0, 16));
        pair.b.qp.modify(new QpAttributes().state(QpState.ERR));
        assertFailed(Failure.of(Reason.FLUSHED).after(Failure.of(Reason.ERR_BY_APPLICATION)), pair.b.receives().getFirst());
    }

    @Test
    void shouldExplainAnElementOutsideItsRegionOnUc() {
        setup.type = QpType.UC;
        start();
        MemoryRegion other = pair.a.memory(64, AccessFlags.LOCAL_WRITE);
        int lkey = other.lkey();
        WorkCompletion done = sent(new SendRequest().send().element(other.address() + 32, 64, lkey));
        assertFailed(Failure.of(Reason.LKEY_RANGE, lkey, other.address(), 64, other.address() + 32, 64), done);
    }

    @Test
    void shouldHaveNoReasonAfterSuccess() {
        start();
        MemoryRegion to = pair.b.memory(16, SimulatedPair.ALL_REMOTE);
        WorkCompletion done = sent(new SendRequest().write(to.address(), to.rkey()).element(from, 0, 16));
        assertEquals(WcStatus.SUCCESS, done.status());
        assertNull(done.explanation());
        assertEquals(0, done.vendorError());
    }
}
