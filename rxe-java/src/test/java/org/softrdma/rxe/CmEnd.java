// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.softrdma.cm.CmConnection;
import org.softrdma.cm.CmContext;
import org.softrdma.cm.CmHandler;
import org.softrdma.cm.CmListener;
import org.softrdma.cm.CmPathOptions;
import org.softrdma.cm.CmRequest;
import org.softrdma.cm.CmService;
import org.softrdma.cm.CmTransport;
import org.softrdma.cm.RequestVerdict;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.DatagramParameters;
import org.softrdma.verbs.cm.PortSpace;

/** A device, a queue pair, and an application that lets communication management connect it and records the events. */
public final class CmEnd implements CmHandler, CmListener, AutoCloseable {
    public static final CmService SERVICE = new CmService(PortSpace.TCP, 7174);
    static final CmService DATAGRAMS = new CmService(PortSpace.UDP, 7174);
    static final CmPathOptions OPTIONS = new CmPathOptions(0, 14, CmPathOptions.UNSET);
    static final int QKEY = 0x01234567;

    final SimulatedPair.Side side;
    final CmTransport transport;
    final InetSocketAddress address;
    /** Longer acknowledgement timeout, for real peers on a busy machine. */
    CmPathOptions options = OPTIONS;
    private final List<String> events = new ArrayList<>();
    volatile CmConnection connection;
    volatile CmRequest request;
    volatile ConnectionParameters response;
    volatile DatagramParameters target;

    CmEnd(Context context, Gid gid, SimulatedPair.Setup setup) {
        side = new SimulatedPair.Side(context, gid, setup);
        transport = ((CmContext) context).cmTransport();
        address = new InetSocketAddress(gid.toInetAddress(), 4711);
    }

    InetSocketAddress port(int port) {
        return new InetSocketAddress(address.getAddress(), port);
    }

    ConnectionParameters parameters(String privateData) {
        return ConnectionParameters.DEFAULT.withPrivateData(privateData.getBytes()).withReads(16, 8).withQp(side.qp.qpNum(), false);
    }

    void connect(CmEnd to, String privateData) {
        connection = transport.open(this);
        connection.connect(SERVICE, QpType.RC, address, to.port(SERVICE.port()), parameters(privateData), options);
    }

    /** Brings the queue pair to RTS with the connection's attributes. */
    void ready() {
        side.qp.modify(connection.qpAttributes(QpState.INIT, options));
        side.qp.modify(connection.qpAttributes(QpState.RTR, options));
        side.qp.modify(connection.qpAttributes(QpState.RTS, options));
    }

    void accept(String privateData) {
        ready();
        connection.accept(parameters(privateData), 0);
    }

    void establish() {
        ready();
        connection.establish();
    }

    void disconnect() {
        side.qp.modify(new QpAttributes().state(QpState.ERR));
        connection.disconnect();
    }

    synchronized int count() {
        return events.size();
    }

    /** Recorded events, in order. */
    synchronized String told() {
        return String.join(", ", events);
    }

    private synchronized void note(String what) {
        events.add(what);
    }

    static String text(byte[] padded) {
        return new String(padded).trim();
    }

    /**
     * A SEND of each to the other, and a WRITE and a READ of one, arrive.
     *
     * @param waiter waits for a condition
     */
    static void exchange(CmEnd a, CmEnd b, Consumer<BooleanSupplier> waiter) {
        try (MemoryRegion ofA = a.side.memory("from a, to be written and read".getBytes());
             MemoryRegion ofB = b.side.memory(100, SimulatedPair.ALL_REMOTE);
             MemoryRegion back = a.side.memory(100, SimulatedPair.ALL_REMOTE)) {
            b.side.qp.postReceive(new ReceiveRequest().begin(1).element(ofB, 50, 20));
            a.side.qp.postReceive(new ReceiveRequest().begin(1).element(back, 50, 20));
            a.side.qp.postSend(new SendRequest().send().element(ofA, 0, 6).signaled());
            a.side.qp.postSend(new SendRequest().write(ofB.address(), ofB.rkey()).element(ofA, 0, 30).signaled());
            a.side.qp.postSend(new SendRequest().read(ofB.address(), ofB.rkey()).element(back, 0, 30).signaled());
            b.side.qp.postSend(new SendRequest().send().element(ofB, 50, 6).signaled());
            waiter.accept(() -> a.side.sends().size() == 3 && a.side.receives().size() == 1 && b.side.sends().size() == 1
                && b.side.receives().size() == 1);
            for (List<WcStatus> statuses : List.of(a.side.sendStatuses(), a.side.receiveStatuses(), b.side.sendStatuses(),
                b.side.receiveStatuses())) {
                statuses.forEach(status -> assertEquals(WcStatus.SUCCESS, status));
            }
            assertEquals("from a, to be written and read", new String(back.memory().asSlice(0, 30).toArray(ValueLayout.JAVA_BYTE)));
            assertEquals("from a", new String(ofB.memory().asSlice(50, 6).toArray(ValueLayout.JAVA_BYTE)));
        }
    }

    /** Closes the queue pair and what it needs, and the device. */
    @Override
    public void close() {
        side.qp.close();
        side.sendCq.close();
        side.recvCq.close();
        side.pd.close();
        side.context.close();
    }

    @Override
    public RequestVerdict onRequest(CmConnection asked, CmRequest what) {
        asked.handler(this);
        connection = asked;
        request = what;
        note("request");
        return RequestVerdict.TAKEN;
    }

    @Override
    public void onResponse(ConnectionParameters parameters) {
        response = parameters;
        note("response");
    }

    @Override
    public void onEstablished(ConnectionParameters parameters) {
        note("established");
    }

    @Override
    public void onDatagramTarget(DatagramParameters parameters) {
        target = parameters;
        note("target");
    }

    @Override
    public void onRejected(int status, byte[] privateData) {
        note("rejected " + status + " " + text(privateData));
    }

    @Override
    public void onUnreachable(int status, byte[] privateData) {
        note("unreachable " + status + " " + text(privateData));
    }

    @Override
    public void onConnectError(int status) {
        note("connect error " + status);
    }

    @Override
    public void onDisconnected(int status) {
        note("disconnected " + status);
    }

    @Override
    public void onTimewaitExit() {
        note("timewait is over");
    }
}
