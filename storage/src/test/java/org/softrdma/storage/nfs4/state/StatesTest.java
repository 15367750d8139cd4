// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4.state;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.softrdma.storage.export.FileHandle;

/** Clients, sessions, opens and locks on virtual time. Outcomes: RFC 8881, at the sections that the tests name. */
class StatesTest {
    private static final long LEASE_NS = 1000;
    private static final long GRACE_NS = 500;
    private static final int READ = OpenStates.READ;
    private static final int WRITE = OpenStates.WRITE;
    private static final ChannelAttributes LIMITS = new ChannelAttributes(1 << 20, 1 << 20, 4096, 16, 4);
    private static final ChannelAttributes WANTED = new ChannelAttributes(1 << 21, 1 << 16, 8192, 8, 64);
    private static final byte[] OWNER = {1, 2, 3};
    private static final byte[] OTHER_OWNER = {1, 2, 4};
    private static final FileHandle FILE = new FileHandle(1, 2, 3);
    private static final FileHandle OTHER_FILE = new FileHandle(1, 3, 3);

    private final Clients clients = new Clients(77, LIMITS, LEASE_NS, GRACE_NS);
    private final OpenStates opens = new OpenStates(clients);
    private final LockStates locks = new LockStates(clients, opens);

    /** The time, after the grace period unless a test sets it back. */
    private long now = GRACE_NS;

    private static void refused(Nfs4Status expected, Executable work) {
        assertEquals(expected, assertThrows(Nfs4Exception.class, work).status());
    }

    private Session session(String name) throws Nfs4Exception {
        Clients.Exchanged exchanged = clients.exchangeId(name.getBytes(), 5, false, now);
        return clients.createSession(exchanged.clientId(), exchanged.nextCreate(), WANTED, now);
    }

    private Client client(String name) throws Nfs4Exception {
        Client client = session(name).client();
        clients.reclaimComplete(client);
        return client;
    }

    private StateId open(Client client, byte[] owner, int access, int deny) throws Nfs4Exception {
        return opens.open(client, owner, FILE, access, deny, false, now);
    }

    private static LockRange range(long offset, long length, boolean write) throws Nfs4Exception {
        return LockRange.of(offset, length, write);
    }

    private LockStates.Locked lock(Client client, StateId open, byte[] owner, LockRange range) throws Nfs4Exception {
        return locks.lockFirst(client, open, owner, FILE, range, false, now);
    }

    // ---- clients, section 18.35 ----

    @Test
    void shouldKnowAClientAgain() throws Nfs4Exception {
        Session session = session("a");
        Clients.Exchanged again = clients.exchangeId("a".getBytes(), 5, false, now);
        assertTrue(again.confirmed());
        assertEquals(session.client().id(), again.clientId());
        assertEquals(again, clients.exchangeId("a".getBytes(), 5, true, now));
        refused(Nfs4Status.NOENT, () -> clients.exchangeId("b".getBytes(), 5, true, now));
        refused(Nfs4Status.NOT_SAME, () -> clients.exchangeId("a".getBytes(), 6, true, now));
    }

    @Test
    void shouldEndARestartedClientWhenItsNextStartIsConfirmed() throws Nfs4Exception {
        Client first = client("a");
        StateId open = open(first, OWNER, WRITE, 0);
        Clients.Exchanged restarted = clients.exchangeId("a".getBytes(), 6, false, now);
        assertFalse(restarted.confirmed());
        assertNotEquals(first.id(), restarted.clientId());
        opens.checkAccess(first, open, FILE, WRITE, now);
        clients.createSession(restarted.clientId(), restarted.nextCreate(), WANTED, now);
        refused(Nfs4Status.BAD_STATEID, () -> opens.checkAccess(first, open, FILE, WRITE, now));
        assertEquals(0, opens.size());
    }

    @Test
    void shouldCreateASessionOnce() throws Nfs4Exception {
        Clients.Exchanged exchanged = clients.exchangeId("a".getBytes(), 5, false, now);
        long id = exchanged.clientId();
        Session session = clients.createSession(id, 1, WANTED, now);
        assertEquals(new ChannelAttributes(1 << 20, 1 << 16, 4096, 8, 4), session.attributes());
        assertSame(session, clients.createSession(id, 1, WANTED, now));
        refused(Nfs4Status.SEQ_MISORDERED, () -> clients.createSession(id, 3, WANTED, now));
        refused(Nfs4Status.STALE_CLIENTID, () -> clients.createSession(id + 1, 1, WANTED, now));
        refused(Nfs4Status.INVAL, () -> clients.createSession(id, 2, new ChannelAttributes(1, 1, 1, 1, 0), now));
        for (int i = 1; i < Clients.MAX_SESSIONS; i++) {
            clients.createSession(id, 1 + i, WANTED, now);
        }
        refused(Nfs4Status.DELAY, () -> clients.createSession(id, 1 + Clients.MAX_SESSIONS, WANTED, now));
        refused(Nfs4Status.CLIENTID_BUSY, () -> clients.destroyClient(id));
    }

    @Test
    void shouldForgetADestroyedClient() throws Nfs4Exception {
        Session session = session("a");
        clients.destroySession(session.id());
        refused(Nfs4Status.BADSESSION, () -> clients.destroySession(session.id()));
        refused(Nfs4Status.BADSESSION, () -> clients.begin(session.id(), 0, 1, now));
        clients.destroyClient(session.client().id());
        refused(Nfs4Status.STALE_CLIENTID, () -> clients.destroyClient(session.client().id()));
    }

    @Test
    void shouldBoundTheNumberOfClients() throws Nfs4Exception {
        for (int i = 0; i < Clients.MAX_CLIENTS; i++) {
            session("client " + i);
        }
        refused(Nfs4Status.DELAY, () -> session("one more"));
        now += LEASE_NS + 1;
        assertNotNull(session("one more"));
    }

    // ---- slots, section 2.10.6 ----

    @Test
    void shouldReplayTheLastReplyOfASlot() throws Nfs4Exception {
        Session session = session("a");
        assertNull(clients.begin(session.id(), 3, 1, now).replay());
        refused(Nfs4Status.DELAY, () -> clients.begin(session.id(), 3, 1, now));
        refused(Nfs4Status.SEQ_MISORDERED, () -> clients.begin(session.id(), 3, 2, now));
        refused(Nfs4Status.DELAY, () -> clients.destroySession(session.id()));
        session.end(3, new byte[] {9});
        assertArrayEquals(new byte[] {9}, clients.begin(session.id(), 3, 1, now).replay());
        assertNull(clients.begin(session.id(), 3, 2, now).replay());
        session.end(3, null);
        refused(Nfs4Status.RETRY_UNCACHED_REP, () -> clients.begin(session.id(), 3, 2, now));
        refused(Nfs4Status.SEQ_MISORDERED, () -> clients.begin(session.id(), 3, 1, now));
        refused(Nfs4Status.SEQ_MISORDERED, () -> clients.begin(session.id(), 2, 0, now));
        refused(Nfs4Status.BADSLOT, () -> clients.begin(session.id(), 4, 1, now));
        refused(Nfs4Status.BADSLOT, () -> clients.begin(session.id(), -1, 1, now));
    }

    // ---- opens, section 9.7 ----

    @Test
    void shouldKeepShareReservations() throws Nfs4Exception {
        Client a = client("a");
        Client b = client("b");
        StateId first = open(a, OWNER, READ, WRITE);
        refused(Nfs4Status.SHARE_DENIED, () -> open(b, OWNER, WRITE, 0));
        refused(Nfs4Status.SHARE_DENIED, () -> open(a, OTHER_OWNER, WRITE, 0));
        refused(Nfs4Status.SHARE_DENIED, () -> open(b, OWNER, READ, READ));
        refused(Nfs4Status.LOCKED, () -> opens.checkAccess(b, StateId.ANONYMOUS, FILE, WRITE, now));
        opens.checkAccess(b, StateId.BYPASS, FILE, READ, now);
        open(b, OWNER, READ, 0);
        opens.close(a, first, FILE);
        open(b, OWNER, WRITE, 0);
        assertEquals(1, opens.size());
    }

    @Test
    void shouldCheckStatesAndTheirSequence() throws Nfs4Exception {
        Client a = client("a");
        Client b = client("b");
        StateId one = open(a, OWNER, READ, 0);
        refused(Nfs4Status.OPENMODE, () -> opens.checkAccess(a, one, FILE, WRITE, now));
        StateId two = open(a, OWNER, WRITE, 0);
        assertEquals(one.withSequence(2), two);
        opens.checkAccess(a, two, FILE, WRITE, now);
        opens.checkAccess(a, two.withSequence(0), FILE, WRITE, now);
        refused(Nfs4Status.OLD_STATEID, () -> opens.checkAccess(a, one, FILE, WRITE, now));
        refused(Nfs4Status.BAD_STATEID, () -> opens.checkAccess(a, two.withSequence(3), FILE, WRITE, now));
        refused(Nfs4Status.BAD_STATEID, () -> opens.checkAccess(a, two, OTHER_FILE, WRITE, now));
        refused(Nfs4Status.BAD_STATEID, () -> opens.checkAccess(b, two, FILE, WRITE, now));
        refused(Nfs4Status.BAD_STATEID, () -> opens.checkAccess(a, new StateId(2, 78, two.number()), FILE, WRITE, now));
        refused(Nfs4Status.INVAL, () -> opens.downgrade(a, two, FILE, READ, READ));
        StateId three = opens.downgrade(a, two, FILE, READ, 0);
        refused(Nfs4Status.OPENMODE, () -> opens.checkAccess(a, three, FILE, WRITE, now));
        refused(Nfs4Status.INVAL, () -> opens.downgrade(a, three, FILE, WRITE, 0));
        opens.close(a, three, FILE);
        refused(Nfs4Status.BAD_STATEID, () -> opens.close(a, three, FILE));
        assertEquals(0, opens.size());
    }

    // ---- locks, section 9.3 ----

    @Test
    void shouldExcludeOtherOwners() throws Nfs4Exception {
        Client a = client("a");
        Client b = client("b");
        StateId ofA = open(a, OWNER, READ | WRITE, 0);
        StateId ofB = open(b, OWNER, READ, 0);
        LockStates.Locked read = lock(a, ofA, OWNER, range(10, 10, false));
        assertNotNull(read.id());
        assertNotNull(lock(b, ofB, OWNER, range(0, -1, false)).id());
        refused(Nfs4Status.OPENMODE, () -> lock(b, ofB, OWNER, range(100, 1, true)));
        LockStates.Locked denied = locks.lockMore(a, read.id(), FILE, range(15, 1, true), false, now);
        assertNull(denied.id());
        assertEquals(new LockRange(0, -1, false), denied.conflict().range());
        assertEquals(b.id(), denied.conflict().clientId());
        assertTrue(locks.test(b, OTHER_OWNER, FILE, range(19, 1, true), now).isPresent());
        assertTrue(locks.test(b, OTHER_OWNER, FILE, range(19, 1, false), now).isEmpty());
        assertTrue(locks.test(a, OWNER, OTHER_FILE, range(0, -1, true), now).isEmpty());
        opens.close(b, ofB, FILE);
        assertNotNull(locks.lockMore(a, read.id(), FILE, range(15, 1, true), false, now).id());
        refused(Nfs4Status.INVAL, () -> range(1, 0, false));
        refused(Nfs4Status.INVAL, () -> range(-2, 3, false));
        assertEquals(-1, range(-2, 2, false).length());
    }

    /** The ranges of one owner behave as an array of bytes does; the model is that array. */
    @Test
    void shouldKeepRangesAsAModelDoes() throws Nfs4Exception {
        Client a = client("a");
        Client b = client("b");
        StateId open = open(a, OWNER, READ | WRITE, 0);
        StateId id = lock(a, open, OWNER, range(0, 1, false)).id();
        int[] model = new int[40];
        model[0] = 1;
        long seed = 20261126;
        Random random = new Random(seed);
        for (int i = 0; i < 5000; i++) {
            int from = random.nextInt(model.length);
            int length = 1 + random.nextInt(model.length - from);
            int type = random.nextInt(3);
            LockRange range = range(from, length, type == 2);
            id = type == 0 ? locks.unlock(a, id, FILE, range) : locks.lockMore(a, id, FILE, range, false, now).id();
            Arrays.fill(model, from, from + length, type);
            String where = "seed " + seed + ", step " + i;
            for (int at = 0; at < model.length; at++) {
                assertEquals(model[at] != 0, locks.test(b, OWNER, FILE, range(at, 1, true), now).isPresent(), where);
                assertEquals(model[at] == 2, locks.test(b, OWNER, FILE, range(at, 1, false), now).isPresent(), where);
            }
        }
    }

    @Test
    void shouldBoundTheRangesOfAnOwner() throws Nfs4Exception {
        Client a = client("a");
        StateId open = open(a, OWNER, READ | WRITE, 0);
        StateId id = lock(a, open, OWNER, range(0, -1, true)).id();
        for (int i = 1; i < LockStates.MAX_RANGES; i++) {
            id = locks.unlock(a, id, FILE, range(2 * i, 1, true));
        }
        StateId last = id;
        refused(Nfs4Status.DELAY, () -> locks.unlock(a, last, FILE, range(1_000_000, 1, true)));
        refused(Nfs4Status.DELAY, () -> locks.lockMore(a, last, FILE, range(1_000_000, 1, false), false, now));
        id = locks.unlock(a, last, FILE, range(0, -1, true));
        locks.free(a, id);
    }

    @Test
    void shouldFreeStatesWithoutLocksOnly() throws Nfs4Exception {
        Client a = client("a");
        StateId open = open(a, OWNER, READ, 0);
        refused(Nfs4Status.LOCKS_HELD, () -> locks.free(a, open));
        StateId id = lock(a, open, OWNER, range(0, 5, false)).id();
        refused(Nfs4Status.LOCKS_HELD, () -> locks.free(a, id));
        StateId unlocked = locks.unlock(a, id, FILE, range(0, 9, false));
        assertEquals(Nfs4Status.OK, clients.test(a, unlocked));
        assertEquals(Nfs4Status.OLD_STATEID, clients.test(a, id));
        locks.free(a, unlocked);
        assertEquals(Nfs4Status.BAD_STATEID, clients.test(a, unlocked));
    }

    // ---- leases, sections 8.3 and 8.4 ----

    @Test
    void shouldKeepWhatAnAbsentClientHasUntilItIsInTheWay() throws Nfs4Exception {
        Session session = session("a");
        Client a = session.client();
        clients.reclaimComplete(a);
        StateId open = open(a, OWNER, READ | WRITE, WRITE);
        lock(a, open, OWNER, range(0, 1, true));
        now += LEASE_NS;
        Client b = client("b");
        refused(Nfs4Status.SHARE_DENIED, () -> open(b, OWNER, WRITE, 0));
        now++;
        // Coming back is possible while no other client needs the file.
        clients.begin(session.id(), 0, 1, now);
        session.end(0, null);
        refused(Nfs4Status.SHARE_DENIED, () -> open(b, OWNER, WRITE, 0));
        now += LEASE_NS + 1;
        open(b, OWNER, WRITE, 0);
        refused(Nfs4Status.BADSESSION, () -> clients.begin(session.id(), 0, 2, now));
    }

    @Test
    void shouldTakeLocksFromAnAbsentClient() throws Nfs4Exception {
        Client a = client("a");
        lock(a, open(a, OWNER, WRITE, 0), OWNER, range(0, 1, true));
        now += LEASE_NS + 1;
        Client b = client("b");
        assertNotNull(lock(b, open(b, OWNER, WRITE, 0), OWNER, range(0, -1, true)).id());
        assertEquals(1, opens.size());
    }

    @Test
    void shouldNotExpireAClientWhoseCallIsUnderWay() throws Nfs4Exception {
        Session session = session("a");
        clients.reclaimComplete(session.client());
        open(session.client(), OWNER, WRITE, WRITE);
        clients.begin(session.id(), 0, 1, now);
        now += 10 * LEASE_NS;
        Client b = client("b");
        refused(Nfs4Status.SHARE_DENIED, () -> open(b, OWNER, WRITE, 0));
        session.end(0, null);
        open(b, OWNER, WRITE, 0);
    }

    @Test
    void shouldForgetAnAbsentClientInTheEnd() throws Nfs4Exception {
        Session session = session("a");
        now += Clients.COURTESY_NS;
        session("b");
        clients.session(session.id());
        now++;
        session("c");
        refused(Nfs4Status.BADSESSION, () -> clients.session(session.id()));
    }

    // ---- restart of the server, section 8.4.2 ----

    @Test
    void shouldLetClientsClaimWhatTheyHadBeforeARestart() throws Nfs4Exception {
        now = 0;
        Client a = session("a").client();
        Client b = client("b");
        refused(Nfs4Status.GRACE, () -> open(a, OWNER, WRITE, 0));
        StateId open = opens.open(a, OWNER, FILE, READ | WRITE, 0, true, now);
        assertNotNull(locks.lockFirst(a, open, OWNER, FILE, range(0, 1, true), true, now).id());
        refused(Nfs4Status.NO_GRACE, () -> opens.open(b, OWNER, FILE, WRITE, 0, true, now));
        StateId ofB = open(b, OWNER, WRITE, 0);
        refused(Nfs4Status.GRACE, () -> lock(b, ofB, OWNER, range(5, 1, true)));
        refused(Nfs4Status.GRACE, () -> open(b, OTHER_OWNER, WRITE, READ));
        clients.reclaimComplete(a);
        refused(Nfs4Status.COMPLETE_ALREADY, () -> clients.reclaimComplete(a));
        now = GRACE_NS;
        assertNotNull(lock(b, ofB, OWNER, range(5, 1, true)).id());
        Client late = session("late").client();
        refused(Nfs4Status.NO_GRACE, () -> opens.open(late, OWNER, FILE, WRITE, 0, true, now));
    }
}
