// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.softrdma.cm.CmConnection;
import org.softrdma.cm.CmContext;
import org.softrdma.cm.CmHandler;
import org.softrdma.cm.CmListener;
import org.softrdma.cm.CmPathOptions;
import org.softrdma.cm.CmRequest;
import org.softrdma.cm.CmService;
import org.softrdma.cm.CmTransport;
import org.softrdma.cm.RequestVerdict;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.DatagramParameters;
import org.softrdma.verbs.cm.PortSpace;

/** An application that connects a queue pair through the connection manager's transport and records the events. */
final class CmEnd implements CmHandler, CmListener, AutoCloseable {
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(30);
    /** First port to try: below the ephemeral ports, and usually another one in each process that runs these tests. */
    private static final int FIRST_PORT = 20_000 + (int) (ProcessHandle.current().pid() % 100) * 100;
    private static final int LAST_PORT = FIRST_PORT + 2_000;

    final CmTransport transport;
    final QueuePair qp;
    CmService service;
    volatile CmConnection connection;
    volatile CmRequest request;
    volatile ConnectionParameters answer;
    volatile RequestVerdict verdict = RequestVerdict.TAKEN;
    /** Address to listen at; null for the wildcard address. */
    volatile InetAddress at;
    private final List<String> told = new ArrayList<>();

    CmEnd(QueuePair qp) {
        this.qp = qp;
        transport = ((CmContext) qp.pd().context()).cmTransport();
    }

    /**
     * Listens at a free port.
     *
     * @return the port
     */
    int listen() {
        for (int port = FIRST_PORT; port < LAST_PORT; port++) {
            try {
                listen(port);
                return port;
            } catch (VerbsException refused) {
                if (refused.errno() != Errno.EADDRINUSE) {
                    throw refused;
                }
            }
        }
        throw new AssertionError("every port is in use");
    }

    void listen(int port) {
        CmService wanted = new CmService(PortSpace.TCP, port);
        transport.listen(wanted, this);
        service = wanted;
    }

    ConnectionParameters parameters(String privateData, int ird, int ord) {
        return ConnectionParameters.DEFAULT.withPrivateData(privateData.getBytes()).withReads(ird, ord).withQp(qp.qpNum(), false);
    }

    void connect(int port, int ord, int ird) {
        connect(port, parameters("", ird, ord));
    }

    void connect(int port, ConnectionParameters parameters) {
        connection = transport.open(this);
        connection.connect(new CmService(PortSpace.TCP, port), QpType.RC, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            new InetSocketAddress(InetAddress.getLoopbackAddress(), port), parameters, CmPathOptions.DEFAULT);
    }

    /** Waits for a request and accepts it. */
    void accept(int ord, int ird) {
        await(() -> request != null);
        connection.accept(parameters("", ird, ord), 0);
    }

    void awaitEstablished() {
        await(() -> told().endsWith("established"));
    }

    void awaitTold(String expected) {
        try {
            await(() -> told().equals(expected));
        } catch (AssertionError never) {
            throw new AssertionError("told \"" + told() + "\" instead of \"" + expected + '"', never);
        }
    }

    static void await(BooleanSupplier condition) {
        long untilNs = System.nanoTime() + PATIENCE_NS;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - untilNs >= 0) {
                throw new AssertionError("it did not come");
            }
            LockSupport.parkNanos(100_000);
        }
    }

    /** Events received, in order. */
    synchronized String told() {
        return String.join(", ", told);
    }

    private synchronized void note(String what) {
        told.add(what);
    }

    /** Stops listening; an established connection stays. */
    @Override
    public void close() {
        if (service != null) {
            transport.unlisten(service);
        }
    }

    @Override
    public Set<InetAddress> addresses(List<InetAddress> ofDevice) {
        return at == null ? Set.copyOf(ofDevice) : Set.of(at);
    }

    @Override
    public RequestVerdict onRequest(CmConnection asked, CmRequest what) {
        if (verdict == RequestVerdict.TAKEN) {
            asked.handler(this);
            connection = asked;
        }
        note("request");
        request = what;
        return verdict;
    }

    @Override
    public void onResponse(ConnectionParameters parameters) {
        note("response");
    }

    @Override
    public void onEstablished(ConnectionParameters parameters) {
        answer = parameters;
        note("established");
    }

    @Override
    public void onDatagramTarget(DatagramParameters parameters) {
        note("target");
    }

    @Override
    public void onRejected(int status, byte[] privateData) {
        note("rejected " + status + " " + new String(privateData));
    }

    @Override
    public void onUnreachable(int status, byte[] privateData) {
        note("unreachable " + status);
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
