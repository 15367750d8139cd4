// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory of a responder for READs and atomics. PSNs wrap in most tests. Source: IBA vol 1 §9.4.4, §9.7.5.1.4 */
class ResponderResourcesTest {
    private static final int FIRST = 0xfffffe;
    private static final int MTU = 1024;
    private static final int RKEY = 0x1234;
    private static final long VA = 0x7000_0000_0000L;
    private static final int PD = 7;

    private final ResponderResources resources = new ResponderResources(3);

    private static int psn(int at) {
        return FIRST + at & 0xffffff;
    }

    private void rememberRead(int at, int packets, long length) {
        resources.rememberRead(psn(at), packets, 100 + at, PD, RKEY, VA, length);
    }

    private ResponderResources.Resource findRead(int at, int rkey, long va, long bytes) {
        return resources.findRead(psn(at), rkey, va, bytes, MTU);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 4, 6, 7, 8, 13})
    void shouldRememberTheLastOnesAndForgetTheOldestFirst(int count) {
        for (int i = 0; i < count; i++) {
            resources.rememberAtomic(psn(i), i, 1000 + i);
        }
        for (int i = 0; i < count; i++) {
            ResponderResources.Resource atomic = resources.findAtomic(psn(i));
            assertEquals(i >= count - 3, atomic != null, i + " of " + count);
            if (atomic != null) {
                assertEquals(i, atomic.msn());
                assertEquals(1000 + i, atomic.original());
            }
        }
        assertNull(resources.findAtomic(psn(count)));
    }

    @Test
    void shouldForgetAllAtOnce() {
        resources.rememberAtomic(psn(0), 1, 5);
        rememberRead(1, 1, 10);
        resources.clear();
        assertNull(resources.findAtomic(psn(0)));
        assertNull(findRead(1, RKEY, VA, 10));
        assertEquals(psn(4), resources.acknowledgeable(psn(-1), psn(5)));
    }

    /** A READ may be repeated from any of its packets on, and for less than the rest. */
    @Test
    void shouldFindAReadFromAnyOfItsPacketsOn() {
        long length = 4 * MTU + 100;
        rememberRead(0, 5, length);
        ResponderResources.Resource read = findRead(0, RKEY, VA, length);
        assertEquals(100, read.msn());
        assertEquals(PD, read.pd());
        for (int packet = 0; packet < 5; packet++) {
            long skipped = (long) packet * MTU;
            assertSame(read, findRead(packet, RKEY, VA + skipped, length - skipped));
            assertSame(read, findRead(packet, RKEY, VA + skipped, 1));
            assertNull(findRead(packet, RKEY, VA + skipped, length - skipped + 1), "more than was read");
            assertNull(findRead(packet, RKEY, VA + skipped + 1, 1), "other bytes");
            assertNull(findRead(packet, RKEY + 1, VA + skipped, 1), "another key");
        }
        assertNull(findRead(5, RKEY, VA + 5 * MTU, 0), "behind it");
        assertNull(findRead(-1, RKEY, VA - MTU, 1), "before it");
        rememberRead(10, 2, 2 * MTU);
        assertNull(findRead(12, RKEY, VA + 2 * MTU, 0), "a READ of nothing behind full packets is another one");
    }

    @Test
    void shouldTellReadsFromAtomics() {
        rememberRead(0, 1, 8);
        resources.rememberAtomic(psn(1), 2, 5);
        assertNull(resources.findAtomic(psn(0)));
        assertNull(findRead(1, 0, 0, 0));
        // The slot of an atomic is used for a READ, and the other way round.
        resources.rememberAtomic(psn(2), 3, 5);
        resources.rememberAtomic(psn(3), 4, 6);
        rememberRead(4, 1, 8);
        assertNull(findRead(3, RKEY, VA, 8));
        assertNotNull(resources.findAtomic(psn(3)));
        assertNull(resources.findAtomic(psn(4)));
        assertNotNull(findRead(4, RKEY, VA, 8));
    }

    /** An acknowledgement of a repeated SEND or WRITE ends before the next READ or atomic, whose own response may be lost. */
    @Test
    void shouldAcknowledgeUpToTheNextReadOrAtomic() {
        assertEquals(psn(9), resources.acknowledgeable(psn(0), psn(10)), "nothing is remembered");
        resources.rememberAtomic(psn(6), 1, 0);
        rememberRead(3, 2, 2 * MTU);
        assertEquals(psn(2), resources.acknowledgeable(psn(0), psn(10)), "the nearer one, though remembered later");
        assertEquals(psn(2), resources.acknowledgeable(psn(2), psn(10)));
        assertEquals(psn(5), resources.acknowledgeable(psn(5), psn(10)), "the READ was before");
        assertEquals(psn(9), resources.acknowledgeable(psn(7), psn(10)), "both were before");
    }
}
