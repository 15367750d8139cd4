// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/** Thousands of connections by address, all at once: how fast they are set up and ended, and what each costs while it is there. */
final class Connections {
    private static final int RESOLVE_TIMEOUT_MS = 2000;
    private static final long PATIENCE_NS = 60_000_000_000L;

    private final int count;
    private final int warmCount;

    Connections(Settings settings) {
        count = settings.number("count", 5000);
        warmCount = settings.number("warmCount", 1000);
    }

    private static QpInitAttributes queuePair() {
        return new QpInitAttributes(QpType.RC, null, null, null, new QpCapabilities(1, 1, 1, 1, 0), false);
    }

    // ---- the end that asks ----

    void client(Control control) throws IOException {
        byte[] address = new byte[4];
        control.in.readFully(address);
        InetSocketAddress server = new InetSocketAddress(InetAddress.getByAddress(address), control.in.readInt());
        try (EventChannel channel = ConnectionManager.get().createEventChannel()) {
            new Round(channel, server, warmCount, false).run();
            new Round(channel, server, count, true).run();
        }
        control.send(0);
    }

    /** Sets up and ends all connections, from the first identifier to the end of the last one. */
    private static final class Round {
        private final EventChannel channel;
        private final InetSocketAddress server;
        private final int count;
        private final boolean measured;
        private final List<CmId> ids = new ArrayList<>();

        Round(EventChannel channel, InetSocketAddress server, int count, boolean measured) {
            this.channel = channel;
            this.server = server;
            this.count = count;
            this.measured = measured;
        }

        void run() {
            ProcessMemory before = measured ? ProcessMemory.now() : null;
            long beganNs = System.nanoTime();
            for (int i = 0; i < count; i++) {
                ids.add(ConnectionManager.get().createId(channel, null, PortSpace.TCP));
            }
            step(id -> id.resolveAddress(null, server, RESOLVE_TIMEOUT_MS), CmEventType.ADDR_RESOLVED);
            step(id -> id.resolveRoute(RESOLVE_TIMEOUT_MS), CmEventType.ROUTE_RESOLVED);
            ids.forEach(id -> id.createQp(null, queuePair()));
            long askedNs = System.nanoTime();
            step(id -> id.connect(ConnectionParameters.DEFAULT), CmEventType.ESTABLISHED);
            long connectedNs = System.nanoTime();
            ProcessMemory after = measured ? ProcessMemory.now() : null;
            long endingNs = System.nanoTime();
            step(CmId::disconnect, CmEventType.DISCONNECTED);
            ids.forEach(CmId::close);
            long endedNs = System.nanoTime();
            if (measured) {
                Report.value("count", count);
                Report.value("kcps.setup", count * 1e6 / (connectedNs - beganNs));
                Report.value("kcps.connect", count * 1e6 / (connectedNs - askedNs));
                Report.value("kcps.end", count * 1e6 / (endedNs - endingNs));
                after.reportSince(before, count);
            }
        }

        /** The same of all, and then the event of each. */
        private void step(Consumer<CmId> call, CmEventType awaited) {
            ids.forEach(call);
            for (int left = count; left > 0;) {
                CmEvent event = channel.getEvent(PATIENCE_NS);
                if (event == null) {
                    throw new IllegalStateException(left + " of " + count + " wait for " + awaited);
                }
                if (event.type() == awaited) {
                    left--;
                } else if (event.type() != CmEventType.TIMEWAIT_EXIT) {
                    throw new IllegalStateException(event + " instead of " + awaited);
                }
                event.ack();
            }
        }
    }

    // ---- the end that accepts ----

    void server(Control control) throws IOException {
        EventChannel channel = ConnectionManager.get().createEventChannel();
        CmId listener = ConnectionManager.get().createId(channel, null, PortSpace.TCP);
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        listener.listen(0);
        Thread.ofPlatform().daemon().name("accepts").start(() -> serve(channel));
        control.out.write(listener.localAddress().getAddress().getAddress());
        control.send(listener.localAddress().getPort());
        control.in.readInt();
    }

    private static void serve(EventChannel channel) {
        while (true) {
            CmEvent event = channel.getEvent(-1);
            CmId id = event.id();
            event.ack();
            switch (event.type()) {
                case CONNECT_REQUEST -> {
                    id.createQp(null, queuePair());
                    id.accept();
                }
                case DISCONNECTED -> {
                    id.disconnect();
                    id.close();
                }
                case ESTABLISHED, TIMEWAIT_EXIT -> { }
                default -> throw new IllegalStateException(event.toString());
            }
        }
    }
}
