// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.softrdma.cm.RequestVerdict;
import org.softrdma.rxe.sim.CmWorld;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.wire.cm.CmRejectReason;
import org.softrdma.wire.cm.CmReq;
import org.softrdma.wire.cm.ServiceId;

/** One host of a {@link CmWorld} for scripts: takes every request, and records all events. */
final class CmHost implements CmWorld.Host, RequestListener, ConnectionListener, SidrQueryListener {
    static final long SERVICE = ServiceId.of(ServiceId.PORT_SPACE_TCP, 7174);
    static final long DATAGRAM_SERVICE = ServiceId.of(ServiceId.PORT_SPACE_UDP, 7174);
    private static final byte[] NOTHING = {};

    private final CmWorld world;
    private final Gid address;
    private final CmSettings settings;
    private CommunicationManager manager;
    private final List<String> events = new ArrayList<>();
    RequestVerdict verdict = RequestVerdict.TAKEN;
    /** The last one that was asked for here. */
    Connection requested;
    /** The last one that a peer accepted. */
    Connection replied;
    SidrRequest lookup;

    CmHost(CmWorld world, int number) {
        this(world, number, CmSettings.of(0x0200_0000_0000_0000L + number));
    }

    CmHost(CmWorld world, int number, CmSettings settings) {
        this.world = world;
        address = CmWorld.gid(number);
        this.settings = settings;
        restart();
        world.add(this);
    }

    /** Everything is forgotten. */
    void restart() {
        manager = new CommunicationManager(settings, new SplittableRandom(world.random().nextLong()), address::equals);
    }

    @Override
    public Gid address() {
        return address;
    }

    @Override
    public CommunicationManager manager() {
        return manager;
    }

    /** Returns the events since the last call. */
    List<String> told() {
        List<String> all = List.copyOf(events);
        events.clear();
        return all;
    }

    long count(CmCounter counter) {
        return manager.counters().get(counter);
    }

    static ReqFields request(Gid from, Gid to, int qpn) {
        return requestBuilder(from, to, qpn).build();
    }

    static ReqFields.Builder requestBuilder(Gid from, Gid to, int qpn) {
        return ReqFields.builder().local(from).remote(to).serviceId(SERVICE).transport(CmReq.TRANSPORT_RC).qpn(qpn).startingPsn(0x111111)
            .responderResources(4).initiatorDepth(5).retryCount(6).rnrRetryCount(7).pathMtu(3).pkey(0xffff).flowLabel(0x12345)
            .hopLimit(64).ackTimeout(19).privateData(new byte[] {1, 2, 3});
    }

    static RepFields reply(int qpn) {
        return replyBuilder(qpn).build();
    }

    static RepFields.Builder replyBuilder(int qpn) {
        return RepFields.builder().qpn(qpn).startingPsn(0x222222).responderResources(5).initiatorDepth(4).targetAckDelay(15)
            .rnrRetryCount(7).privateData(new byte[] {4, 5});
    }

    Connection connect(CmHost to, int qpn) {
        return connect(request(address, to.address, qpn));
    }

    Connection connect(ReqFields request) {
        return manager.connect(world.nowNs(), new GidPair(GidType.ROCE_V2, request.local(), request.remote()), request, this);
    }

    void accept(Connection connection, int qpn) {
        connection.accept(world.nowNs(), reply(qpn));
    }

    void confirm(Connection connection) {
        connection.confirm(world.nowNs(), NOTHING);
    }

    void disconnect(Connection connection) {
        connection.disconnect(world.nowNs());
    }

    private void note(String what) {
        events.add(what);
        world.note(address + " is told: " + what);
    }

    @Override
    public RequestVerdict onRequest(Connection connection) {
        note("request");
        requested = connection;
        connection.setListener(this);
        return verdict;
    }

    @Override
    public RequestVerdict onSidrRequest(SidrRequest request) {
        note("question");
        lookup = request;
        return verdict;
    }

    @Override
    public void onReply(Connection connection) {
        note("reply");
        replied = connection;
    }

    @Override
    public void onEstablished(Connection connection) {
        note("established");
    }

    @Override
    public void onRejected(Connection connection, int reason, byte[] privateData) {
        note("rejected: " + CmRejectReason.name(reason) + text(privateData));
    }

    /** The bytes in hexadecimal without the zeros at the end, after a comma; nothing if all are zero. */
    private static String text(byte[] privateData) {
        assertEquals(148, privateData.length, "private data of a REJ");
        String digits = HexFormat.of().formatHex(privateData).replaceAll("(00)+$", "");
        return digits.isEmpty() ? "" : ", " + digits;
    }

    @Override
    public void onPortUnreachable(Connection connection) {
        note("nobody there");
    }

    @Override
    public void onUnreachable(Connection connection) {
        note("unreachable");
    }

    @Override
    public void onDisconnectRequest(Connection connection) {
        note("peer disconnects");
    }

    @Override
    public void onDisconnected(Connection connection, boolean timedOut) {
        note(timedOut ? "disconnected, no answer" : "disconnected");
    }

    @Override
    public void onTimewaitExit(Connection connection) {
        note("timewait is over");
    }

    @Override
    public void onAnswer(SidrQuery query, int status, int qpn, int qkey, byte[] privateData) {
        note("answer " + status + " " + Integer.toHexString(qpn) + " " + Integer.toHexString(qkey));
    }

    @Override
    public void onUnreachable(SidrQuery query) {
        note("unreachable");
    }
}
