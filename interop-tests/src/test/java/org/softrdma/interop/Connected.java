// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.concurrent.TimeUnit;
import org.softrdma.contract.Setup;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/**
 * A connection by address between two queue pairs of this host's device, as long as its identifiers are open. The queue pairs are the
 * caller's, and are closed first.
 */
record Connected(EventChannel channel, CmId asking, CmId asked) implements AutoCloseable {
    private static final int TIMEOUT_MS = 5000;

    /** Connects {@code a}, which asks, and {@code b}. */
    static Connected connect(QueuePair a, QueuePair b, Setup setup) {
        ConnectionManager manager = ConnectionManager.get();
        EventChannel channel = manager.createEventChannel();
        CmId asking = manager.createId(channel, null, PortSpace.TCP);
        try (CmId listener = manager.createId(channel, null, PortSpace.TCP)) {
            listener.bind(new InetSocketAddress(address(), 0));
            listener.listen(1);
            asking.resolveAddress(null, listener.localAddress(), TIMEOUT_MS);
            next(channel, CmEventType.ADDR_RESOLVED);
            asking.resolveRoute(TIMEOUT_MS);
            next(channel, CmEventType.ROUTE_RESOLVED);
            ConnectionParameters parameters = ConnectionParameters.DEFAULT.withReads(setup.destRdAtomic, setup.rdAtomic);
            asking.connect(parameters.withQp(a.qpNum(), false));
            CmId asked = next(channel, CmEventType.CONNECT_REQUEST);
            asked.accept(parameters.withQp(b.qpNum(), false));
            next(channel, CmEventType.ESTABLISHED);
            next(channel, CmEventType.ESTABLISHED);
            return new Connected(channel, asking, asked);
        }
    }

    private static CmId next(EventChannel channel, CmEventType expected) {
        CmEvent event = channel.getEvent(TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS));
        if (event == null || event.type() != expected) {
            throw new IllegalStateException("instead of " + expected + ": " + event);
        }
        CmId id = event.id();
        event.ack();
        return id;
    }

    /** Returns the first IPv4 address that is not a loopback one. */
    private static InetAddress address() {
        try {
            return NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses)
                .filter(each -> each instanceof Inet4Address && !each.isLoopbackAddress()).findFirst().orElseThrow();
        } catch (SocketException refused) {
            throw new IllegalStateException(refused);
        }
    }

    @Override
    public void close() {
        asking.close();
        asked.close();
        channel.close();
    }
}
