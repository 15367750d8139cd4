// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.demo;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import org.softrdma.tools.demo.DemoCase.Operation;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WorkCompletion;

/**
 * Run of one case: the initiator accesses the responder's memory or sends to it, and one thread polls for both. Afterwards every byte of
 * the messages is compared, and the bytes between the messages must be unchanged.
 */
final class DemoRun {
    /** Failure of a case; the message describes it. */
    static final class Wrong extends Exception {
        private static final long serialVersionUID = 1L;

        Wrong(String message) {
            super(message);
        }
    }

    /** Bytes after each message that must not change. */
    static final int GUARD_BYTES = 64;
    /** Memory of each end, enough for any case. */
    static final long MEMORY_BYTES = 20L << 20;

    private static final byte UNTOUCHED = (byte) 0xee;
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(10);

    private final DemoEnd initiator;
    private final DemoEnd responder;
    private final Pattern pattern;
    private final int number;
    private final DemoCase demoCase;
    private final Operation operation;
    private final WorkCompletion[] completions = WorkCompletion.array(16);
    private final SendRequest send = new SendRequest();
    private final ReceiveRequest receive = new ReceiveRequest();
    private int completedHere;
    private int completedThere;
    private long counterValue;

    DemoRun(DemoEnd initiator, DemoEnd responder, Pattern pattern, int number, DemoCase demoCase) {
        this.initiator = initiator;
        this.responder = responder;
        this.pattern = pattern;
        this.number = number;
        this.demoCase = demoCase;
        this.operation = demoCase.operation();
    }

    /**
     * Runs the case and checks its data.
     *
     * @return nanoseconds from the first post to the last completion
     */
    long run() throws Wrong {
        prepare();
        long startNs = System.nanoTime();
        for (int message = 0; message < demoCase.messages(); message++) {
            postSend(message);
            if (!demoCase.pipelined()) {
                await(message + 1);
            }
        }
        await(demoCase.messages());
        long elapsedNs = System.nanoTime() - startNs;
        checkData();
        return elapsedNs;
    }

    // ---- preparation ----

    private void prepare() {
        initiator.memory().fill(UNTOUCHED);
        responder.memory().fill(UNTOUCHED);
        if (operation.isAtomic()) {
            counterValue = pattern.word(number, -1, 0);
            responder.memory().set(ValueLayout.JAVA_LONG, 0, counterValue);
            return;
        }
        MemorySegment source = operation == Operation.READ ? responder.memory() : initiator.memory();
        for (int message = 0; message < demoCase.messages(); message++) {
            pattern.fill(source.asSlice(offset(message), demoCase.size()), number, message);
            if (operation.consumesReceive()) {
                receive.begin(message);
                if (operation != Operation.WRITE_WITH_IMMEDIATE) {
                    receive.element(responder.region(), offset(message), demoCase.size());
                }
                responder.qp().postReceive(receive);
            }
        }
    }

    private long offset(int message) {
        return (long) message * (demoCase.size() + GUARD_BYTES + 7 & -8);
    }

    // ---- messages ----

    private void postSend(int message) {
        long there = responder.region().address() + offset(message);
        int rkey = responder.region().rkey();
        switch (operation) {
            case SEND -> send.send();
            case SEND_WITH_IMMEDIATE -> send.sendWithImmediate(immediate(message));
            case WRITE -> send.write(there, rkey);
            case WRITE_WITH_IMMEDIATE -> send.writeWithImmediate(there, rkey, immediate(message));
            case READ -> send.read(there, rkey);
            case COMPARE_AND_SWAP -> send.compareAndSwap(responder.region().address(), rkey, compare(message), operand(message));
            case FETCH_AND_ADD -> send.fetchAndAdd(responder.region().address(), rkey, operand(message));
        }
        initiator.qp().postSend(send.wrId(message).element(initiator.region(), offset(message), demoCase.size()).signaled());
    }

    private int immediate(int message) {
        return (int) pattern.word(number, message, -1);
    }

    private long operand(int message) {
        return pattern.word(number, message, 0);
    }

    /** Compare value of an atomic: every second one must fail and leave the memory unchanged. */
    private long compare(int message) {
        long now = message == 0 ? counterValue : operand(message - 1 & -2);
        return message % 2 == 0 ? now : ~now;
    }

    private void await(int messages) throws Wrong {
        int there = operation.consumesReceive() ? messages : 0;
        long deadlineNs = System.nanoTime() + PATIENCE_NS;
        while (completedHere < messages || completedThere < there) {
            int count = initiator.cq().poll(completions);
            for (int i = 0; i < count; i++) {
                checkSent(completions[i], completedHere++);
            }
            int atResponder = responder.cq().poll(completions);
            for (int i = 0; i < atResponder; i++) {
                checkReceived(completions[i], completedThere++);
            }
            if (count + atResponder > 0) {
                deadlineNs = System.nanoTime() + PATIENCE_NS;
            } else if (System.nanoTime() - deadlineNs > 0) {
                throw new Wrong("nothing completed for " + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NS) + " s, after " + completedHere
                    + " completions at " + initiator.name() + " and " + completedThere + " at " + responder.name());
            } else {
                Thread.onSpinWait();
            }
        }
    }

    private void checkSent(WorkCompletion completion, int message) throws Wrong {
        WcOpcode expected = switch (operation) {
            case SEND, SEND_WITH_IMMEDIATE -> WcOpcode.SEND;
            case WRITE, WRITE_WITH_IMMEDIATE -> WcOpcode.RDMA_WRITE;
            case READ -> WcOpcode.RDMA_READ;
            case COMPARE_AND_SWAP -> WcOpcode.COMP_SWAP;
            case FETCH_AND_ADD -> WcOpcode.FETCH_ADD;
        };
        check(completion, initiator, expected, message);
    }

    private void checkReceived(WorkCompletion completion, int message) throws Wrong {
        check(completion, responder, operation == Operation.WRITE_WITH_IMMEDIATE ? WcOpcode.RECV_RDMA_WITH_IMM : WcOpcode.RECV, message);
        if (completion.byteLength() != demoCase.size()) {
            throw new Wrong("message " + message + " arrived with " + completion.byteLength() + " bytes");
        }
        boolean flagged = (completion.flags() & WcFlags.WITH_IMM) != 0;
        if (flagged != operation.hasImmediate() || flagged && completion.immediate() != immediate(message)) {
            throw new Wrong("message " + message + " arrived with wrong immediate data: " + completion);
        }
    }

    private static void check(WorkCompletion completion, DemoEnd end, WcOpcode expected, int message) throws Wrong {
        if (!completion.isSuccess()) {
            throw new Wrong("at " + end.name() + ": " + completion.status().text() + " (" + completion.status().value() + ") for message "
                + completion.wrId());
        }
        if (completion.opcode() != expected || completion.wrId() != message || completion.qpNum() != end.qp().qpNum()) {
            throw new Wrong("at " + end.name() + ": expected " + expected + " of message " + message + ", got " + completion);
        }
    }

    // ---- checks ----

    private void checkData() throws Wrong {
        if (operation.isAtomic()) {
            checkAtomics();
            return;
        }
        DemoEnd target = operation == Operation.READ ? initiator : responder;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment expected = arena.allocate(demoCase.size(), 8);
            for (int message = 0; message < demoCase.messages(); message++) {
                pattern.fill(expected, number, message);
                compare("message " + message, expected, target.memory().asSlice(offset(message), demoCase.size()));
            }
            checkUntouched(target, demoCase.size());
        }
    }

    /** Checks that the returned values are those of the atomics executed one after the other. */
    private void checkAtomics() throws Wrong {
        long value = counterValue;
        for (int message = 0; message < demoCase.messages(); message++) {
            long returned = initiator.memory().get(ValueLayout.JAVA_LONG, offset(message));
            if (returned != value) {
                throw new Wrong("message " + message + " returned 0x" + Long.toHexString(returned) + " instead of 0x"
                    + Long.toHexString(value));
            }
            if (operation == Operation.FETCH_AND_ADD) {
                value += operand(message);
            } else if (compare(message) == value) {
                value = operand(message);
            }
        }
        long left = responder.memory().get(ValueLayout.JAVA_LONG, 0);
        if (left != value) {
            throw new Wrong("memory holds 0x" + Long.toHexString(left) + " instead of 0x" + Long.toHexString(value));
        }
        checkUntouched(initiator, 8);
    }

    /** Checks the bytes between and after the messages. */
    private void checkUntouched(DemoEnd end, int size) throws Wrong {
        for (int message = 0; message < demoCase.messages(); message++) {
            long from = offset(message) + size;
            checkUntouched(end.memory().asSlice(from, offset(message + 1) - from), "after message " + message);
        }
        checkUntouched(end.memory().asSlice(offset(demoCase.messages())), "after the last message");
    }

    private static void checkUntouched(MemorySegment memory, String where) throws Wrong {
        for (long i = 0; i < memory.byteSize(); i++) {
            if (memory.get(ValueLayout.JAVA_BYTE, i) != UNTOUCHED) {
                throw new Wrong("byte " + i + " " + where + " was overwritten");
            }
        }
    }

    private static void compare(String what, MemorySegment expected, MemorySegment actual) throws Wrong {
        long at = expected.mismatch(actual);
        if (at >= 0) {
            throw new Wrong(what + " differs at byte " + at + ": 0x" + Integer.toHexString(actual.get(ValueLayout.JAVA_BYTE, at) & 0xff)
                + " instead of 0x" + Integer.toHexString(expected.get(ValueLayout.JAVA_BYTE, at) & 0xff));
        }
    }
}
