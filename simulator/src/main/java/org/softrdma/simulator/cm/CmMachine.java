// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator.cm;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.softrdma.cm.RequestVerdict;
import org.softrdma.device.SeededRandom;
import org.softrdma.rxe.cm.CmCounter;
import org.softrdma.rxe.cm.CmSettings;
import org.softrdma.rxe.cm.CommunicationManager;
import org.softrdma.rxe.cm.Connection;
import org.softrdma.rxe.cm.GidPair;
import org.softrdma.rxe.cm.ReqFields;
import org.softrdma.rxe.cm.RequestListener;
import org.softrdma.rxe.cm.SidrRequest;
import org.softrdma.rxe.sim.CmWorld;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.wire.cm.CmReq;
import org.softrdma.wire.cm.ServiceId;

/** A machine that accepts connections, requests some, and can crash and start again without any memory of them. */
final class CmMachine implements CmWorld.Host, RequestListener {
    private static final long SECOND = CmWorld.SECOND;
    private static final long SERVICE = ServiceId.of(ServiceId.PORT_SPACE_TCP, 7174);

    private final CmSeedRun run;
    private final CmWorld world;
    private final SeededRandom random;
    private final Gid address;
    private final int number;
    private final CmSettings settings;
    private final Map<Integer, CmEnd> ends = new HashMap<>();
    private CommunicationManager manager;
    private int nextQpn;

    CmMachine(CmSeedRun run, int number, int retries, int inFlight) {
        this.run = run;
        this.number = number;
        world = run.world();
        random = run.random();
        settings = CmSettings.of(number).withMaxRetries(retries).withMaxInFlight(inFlight);
        address = CmWorld.gid(number);
        start();
        world.add(this);
    }

    private void start() {
        nextQpn = 100 * number;
        manager = new CommunicationManager(settings, new SplittableRandom(world.random().nextLong()), address::equals);
        manager.listen(SERVICE, this);
    }

    /** Forgets everything; the queue pair numbers begin anew. */
    void crash() {
        run.count(CmOutcome.CRASHED);
        world.note(address + " crashes");
        ends.values().forEach(CmEnd::onCrash);
        ends.clear();
        start();
    }

    @Override
    public Gid address() {
        return address;
    }

    @Override
    public CommunicationManager manager() {
        return manager;
    }

    long count(CmCounter counter) {
        return manager.counters().get(counter);
    }

    // ---- queue pairs ----

    Collection<CmEnd> ends() {
        return ends.values();
    }

    /** Returns the end that has a queue pair, or null. */
    CmEnd end(int qpn) {
        return ends.get(qpn);
    }

    /**
     * Makes a queue pair.
     *
     * @return its number
     */
    int newQp(CmEnd end) {
        int qpn = nextQpn++;
        ends.put(qpn, end);
        return qpn;
    }

    void destroyQp(int qpn, CmEnd end) {
        ends.remove(qpn, end);
    }

    void endAll() {
        List.copyOf(ends.values()).forEach(CmEnd::disconnect);
    }

    // ---- connections ----

    void connect() {
        if (run.isCalm()) {
            return;
        }
        CmEnd end = new CmEnd(run, this);
        ReqFields request = request(CmWorld.gid(3 - number), end.qpn());
        end.connection(manager.connect(world.nowNs(), new GidPair(GidType.ROCE_V2, request.local(), request.remote()), request, end));
        if (random.chance(0.1)) {
            world.in(random.between(0, 20 * SECOND), end::abandon);
        }
    }

    private ReqFields request(Gid to, int qpn) {
        return ReqFields.builder().local(address).remote(to).serviceId(SERVICE).transport(CmReq.TRANSPORT_RC).qpn(qpn)
            .startingPsn(0x111111).responderResources(4).initiatorDepth(5).retryCount(6).rnrRetryCount(7).pathMtu(3).pkey(0xffff)
            .flowLabel(0x12345).hopLimit(64).ackTimeout(19).privateData(new byte[] {1, 2, 3}).build();
    }

    @Override
    public RequestVerdict onRequest(Connection connection) {
        if (random.chance(0.1)) {
            run.count(CmOutcome.REQUEST_DROPPED);
            return RequestVerdict.DROPPED;
        }
        if (random.chance(0.05)) {
            return RequestVerdict.REFUSED;
        }
        CmEnd end = new CmEnd(run, this);
        end.connection(connection);
        connection.setListener(end);
        long thinksNs = random.chance(0.2) ? random.between(0, 90 * SECOND) : random.between(0, SECOND);
        int decision = random.below(100);
        world.in(thinksNs, () -> {
            if (decision < 80) {
                end.accept();
            } else if (decision < 90) {
                end.reject();
            } else {
                end.abandon();
            }
        });
        return RequestVerdict.TAKEN;
    }

    @Override
    public RequestVerdict onSidrRequest(SidrRequest request) {
        throw new AssertionError("a look-up that was not requested");
    }

    @Override
    public String toString() {
        return address.toString();
    }
}
