// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ipoib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.ib.PathRecord;

/** Look-ups of ports by address, and of paths, on virtual time; what connections by address need. */
class LookUpTest {
    private static final long SECOND = IpoibSubnet.SECOND;
    private static final long PREFIX = 0xFE80_0000_0000_0000L;
    /** MAD status of subnet administration: no records. IBA vol 1 §15.2.3 */
    private static final int NO_RECORDS = 0x0300;

    private final IpoibSubnet subnet = new IpoibSubnet(4, 1);
    private final IpoibSubnet.Host one = subnet.hosts.get("h1");
    private final IpoibSubnet.Host two = subnet.hosts.get("h2");

    /** Results, null included. */
    private static final class Results<T> implements Consumer<T> {
        final List<T> all = new ArrayList<>();

        @Override
        public void accept(T result) {
            all.add(result);
        }

        T only() {
            assertEquals(1, all.size(), all.toString());
            return all.getFirst();
        }
    }

    private static Gid address(int number) {
        return Gid.ofIpv4(0x0A09_0000 | number);
    }

    private static void begin(IpoibSubnet subnet) {
        int number = 1;
        for (IpoibSubnet.Host each : subnet.hosts.values()) {
            each.ip.setAddresses(List.of(new Prefix(address(number++), 24)), subnet.nowNs());
        }
        subnet.run(2 * SECOND);
    }

    private static Gid gid(IpoibSubnet.Host host) {
        return new Gid(PREFIX, host.port.guid());
    }

    private Results<Gid> findPort(Gid ip) {
        Results<Gid> found = new Results<>();
        one.ip.findPort(ip, found, subnet.nowNs());
        return found;
    }

    private Results<PathAnswer> findPath(Gid port) {
        Results<PathAnswer> found = new Results<>();
        one.ip.findPath(port, found, subnet.nowNs());
        return found;
    }

    @Test
    void shouldFindThePortOfAnAddress() {
        begin(subnet);
        Results<Gid> found = findPort(address(2));
        Results<Gid> sameTime = findPort(address(2));
        assertTrue(found.all.isEmpty());
        subnet.run(SECOND);
        assertEquals(gid(two), found.only());
        assertEquals(gid(two), sameTime.only());
        assertEquals(1, one.ip.counters().get(IpoibCounter.IPOIB_SOLICITATIONS));
        assertEquals(gid(two), findPort(address(2)).only(), "at once, as it is known");
        assertEquals(gid(one), findPort(address(1)).only(), "its own");
    }

    /** Three solicitations, a second apart. */
    @Test
    void shouldFindNoPortIfNobodyAnswers() {
        begin(subnet);
        Results<Gid> found = findPort(address(77));
        subnet.run(2 * SECOND + SECOND / 2);
        assertTrue(found.all.isEmpty());
        subnet.run(SECOND);
        assertNull(found.only());
        assertEquals(3, one.ip.counters().get(IpoibCounter.IPOIB_SOLICITATIONS));
    }

    /** An address that is not confirmed any more does not count, other than for packets. */
    @Test
    void shouldAskAgainAfterAMinute() {
        begin(subnet);
        findPort(address(2));
        subnet.run(61 * SECOND);
        two.ip.setAddresses(List.of(), subnet.nowNs());
        Results<Gid> found = findPort(address(2));
        subnet.run(4 * SECOND);
        assertNull(found.only());
    }

    @Test
    void shouldEndLookUpsWhenThePortGoesDown() {
        begin(subnet);
        Results<Gid> port = findPort(address(77));
        Results<PathAnswer> path = findPath(gid(two));
        one.ip.onPort(0, 0, 0, subnet.nowNs());
        assertNull(port.only());
        assertEquals(PathAnswer.NONE, path.only());
    }

    /** LIDs are the fabric's; MTU, rate and life time those that the manager gives for ports of 4096 bytes and 10 Gbit/s. */
    @Test
    void shouldGetThePathToAPort() {
        begin(subnet);
        Results<PathAnswer> found = findPath(gid(two));
        subnet.run(SECOND);
        PathAnswer answer = found.only();
        assertEquals(0, answer.status());
        assertEquals(two.port.lid(), PathRecord.DLID.get(answer.path(), 0));
        assertEquals(one.port.lid(), PathRecord.SLID.get(answer.path(), 0));
        assertEquals(gid(two), new Gid(PathRecord.DGID_HIGH.getLong(answer.path(), 0), PathRecord.DGID_LOW.getLong(answer.path(), 0)));
        assertEquals(gid(one), new Gid(PathRecord.SGID_HIGH.getLong(answer.path(), 0), PathRecord.SGID_LOW.getLong(answer.path(), 0)));
        assertEquals(5, PathRecord.MTU.get(answer.path(), 0));
        assertEquals(3, PathRecord.RATE.get(answer.path(), 0));
        assertEquals(0xFFFF, PathRecord.PKEY.get(answer.path(), 0));
        assertEquals(0, PathRecord.HOP_LIMIT.get(answer.path(), 0));
    }

    @Test
    void shouldReportTheStatusIfThereIsNoPath() {
        begin(subnet);
        Results<PathAnswer> found = findPath(new Gid(PREFIX, 0x1234));
        subnet.run(SECOND);
        assertEquals(new PathAnswer(null, NO_RECORDS), found.only());
    }

    /** Four requests, a second apart. */
    @Test
    void shouldGiveUpIfSubnetAdministrationIsAway() {
        begin(subnet);
        subnet.loss = 1;
        Results<PathAnswer> found = findPath(gid(two));
        subnet.run(3 * SECOND + SECOND / 2);
        assertTrue(found.all.isEmpty());
        subnet.run(SECOND);
        assertEquals(PathAnswer.NONE, found.only());
        assertEquals(1, one.ip.counters().get(IpoibCounter.IPOIB_SA_TIMEOUTS));
    }

    /** Each look-up ends once; those that were repeated until they had an answer have the right one. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void shouldSurviveLostMessages(long seed) {
        IpoibSubnet lossy = new IpoibSubnet(3, seed);
        begin(lossy);
        lossy.loss = 0.3;
        IpoibSubnet.Host from = lossy.hosts.get("h1");
        int found = 0;
        for (int i = 0; i < 20; i++) {
            IpoibSubnet.Host to = lossy.hosts.get(i % 2 == 0 ? "h2" : "h3");
            Results<Gid> port = new Results<>();
            Results<PathAnswer> path = new Results<>();
            from.ip.findPort(address(2 + i % 2), port, lossy.nowNs());
            from.ip.findPath(gid(to), path, lossy.nowNs());
            lossy.run(5 * SECOND);
            assertTrue(port.only() == null || port.only().equals(gid(to)), "seed " + seed);
            if (path.only().path() != null) {
                assertEquals(to.port.lid(), PathRecord.DLID.get(path.only().path(), 0), "seed " + seed);
                found += port.only() == null ? 0 : 1;
            }
        }
        assertTrue(found > 10, "seed " + seed + ": " + found + " of 20");
    }
}
