// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.softrdma.libibverbs.NativeMemory.ALL;

import java.lang.foreign.Linker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.softrdma.libibverbs.layout.IbvCqEx;
import org.softrdma.libibverbs.layout.IbvQpEx;
import org.softrdma.libibverbs.layout.Pointer;
import org.softrdma.libibverbs.layout.VerbsContext;
import org.softrdma.verbs.CompletionReader;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.FlushFlags;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.SendOps;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/**
 * Queues of drivers other than librxe. Their functions are two of the C library: Java's could not be called on the data path. strlen
 * returns what the test writes to the beginning of the structure, labs does nothing.
 */
@EnabledOnOs(OS.LINUX)
class ExtendedQueuesTest {
    private static final long STRLEN = symbol("strlen");
    private static final long LABS = symbol("labs");
    /** Results of strlen, as memory: as many bytes that are not 0. */
    private static final long RETURN_0 = 0;
    private static final long RETURN_ENOENT = 0x0101;
    private static final long RETURN_EIO = 0x0101010101L;

    private final FakeDriver driver = new FakeDriver();

    private static long symbol(String name) {
        return Linker.nativeLinker().defaultLookup().find(name).orElseThrow().address();
    }

    private static Errno refused(Runnable call) {
        return assertThrows(VerbsException.class, call::run).errno();
    }

    // ---- completions ----

    private long cq;

    private CompletionReader reader() {
        driver.with(VerbsContext.CREATE_CQ_EX, (_, _, _, _) -> {
            cq = driver.object();
            for (Pointer each : new Pointer[] {IbvCqEx.START_POLL, IbvCqEx.NEXT_POLL, IbvCqEx.READ_QP_NUM, IbvCqEx.READ_IMM_DATA}) {
                each.set(ALL, cq, STRLEN);
            }
            IbvCqEx.END_POLL.set(ALL, cq, LABS);
            return cq;
        });
        return driver.open().createCq(4).reader();
    }

    private void makeCallsReturn(long text) {
        ALL.set(JAVA_LONG, cq, text);
    }

    @Test
    void shouldReadOnUntilThereIsNoMore() {
        CompletionReader reader = reader();
        makeCallsReturn(RETURN_ENOENT);
        assertFalse(reader.startPoll());
        makeCallsReturn(RETURN_0);
        assertTrue(reader.startPoll());
        IbvCqEx.WR_ID.set(ALL, cq, 7);
        IbvCqEx.STATUS.set(ALL, cq, WcStatus.WR_FLUSH_ERR.value());
        assertEquals(7, reader.wrId());
        assertEquals(WcStatus.WR_FLUSH_ERR, reader.status());
        assertTrue(reader.nextPoll());
        makeCallsReturn(RETURN_ENOENT);
        assertFalse(reader.nextPoll());
        assertEquals(7, reader.wrId(), "the last one stays current");
        assertEquals(2, reader.qpNum());
        assertEquals(2, reader.invalidatedRkey());
        assertEquals(2 << 24, reader.immediate(), "network byte order");
        assertEquals(Errno.EOPNOTSUPP, refused(reader::timestampNs), "the queue was made without");
        reader.endPoll();
        assertEquals(Errno.EINVAL, refused(reader::wrId));
    }

    @Test
    void shouldReportThatTheDriverCannotRead() {
        CompletionReader reader = reader();
        makeCallsReturn(RETURN_EIO);
        assertEquals(Errno.EIO, refused(reader::startPoll));
        makeCallsReturn(RETURN_0);
        assertTrue(reader.startPoll(), "the lock was released");
        reader.endPoll();
    }

    /** Without this the thread would wait in the driver for itself. */
    @Test
    void shouldRefuseToPollWhatTheThreadReads() {
        reader();
        NativeCompletionQueue queue = (NativeCompletionQueue) driver.open().createCq(4);
        CompletionReader reader = queue.reader();
        assertTrue(reader.startPoll());
        assertEquals(Errno.EINVAL, refused(() -> queue.poll(WorkCompletion.array(1))));
        assertEquals(Errno.EINVAL, refused(() -> queue.resize(8)));
        assertEquals(Errno.EINVAL, refused(queue::close));
        assertEquals(Errno.EINVAL, refused(queue.reader()::startPoll));
        reader.endPoll();
    }

    // ---- sends ----

    private ExtendedSends sends(int operations, boolean needsEqualElements) {
        long qp = driver.object();
        for (Pointer each : new Pointer[] {IbvQpEx.WR_SEND, IbvQpEx.WR_SET_SGE, IbvQpEx.WR_SET_SGE_LIST,
            new Pointer(IbvQpEx.WR_FLUSH_OFFSET)}) {
            each.set(ALL, qp, LABS);
        }
        SendChecks checks = new SendChecks(null, QpType.RC, new QpCapabilities(1, 1, 4, 1, 0));
        return new ExtendedSends(checks, QpType.RC, 0, qp, operations, needsEqualElements);
    }

    @Test
    void shouldRefuseElementsThatLibrxeAddsUpWrongly() {
        SendRequest equal = new SendRequest().send().element(0x1000, 8, 1).element(0x2000, 8, 1);
        SendRequest different = new SendRequest().send().element(0x1000, 8, 1).element(0x2000, 9, 1);
        sends(SendOps.SEND, true).build(equal);
        assertEquals(Errno.EOPNOTSUPP, refused(() -> sends(SendOps.SEND, true).build(different)));
        sends(SendOps.SEND, false).build(different);
    }

    /** A function that the driver was not asked for may be beyond the end of its structure. */
    @Test
    void shouldBuildOnlyWhatTheQueuePairWasMadeFor() {
        SendRequest flush = new SendRequest().flush(0x1000, 1, 8, FlushFlags.GLOBAL, FlushFlags.RANGE);
        assertEquals(Errno.EOPNOTSUPP, refused(() -> sends(SendOps.SEND, false).build(flush)));
        sends(SendOps.FLUSH, false).build(flush);
        assertEquals(Errno.EOPNOTSUPP, refused(() -> sends(SendOps.FLUSH, false).build(new SendRequest().send())));
    }
}
