// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop.app;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.softrdma.interop.app.IwarpResponder.Region;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/** Our initiator, through the public API. */
final class JavaInitiator implements IwarpInitiator {
    private static final int RESOLVE_MS = 5000;
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(30);

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(IwarpResponder.SIZE);
    private final EventChannel channel = ConnectionManager.get().createEventChannel();
    private final CmId id = ConnectionManager.get().createId(channel, null, PortSpace.TCP);
    private MemoryRegion region;

    @Override
    public Answer connect(String address, int port) {
        id.resolveAddress(null, new InetSocketAddress(address, port), RESOLVE_MS);
        next();
        id.resolveRoute(RESOLVE_MS);
        next();
        id.createQp(null, new QpInitAttributes(QpType.RC, null, null, null, new QpCapabilities(4, 8, 1, 1, 0), true));
        region = id.pd().register(memory, AccessFlags.LOCAL_WRITE);
        id.connect(ConnectionParameters.DEFAULT);
        return next();
    }

    private Answer next() {
        CmEvent event = channel.getEvent(PATIENCE_NS);
        if (event == null) {
            throw new IllegalStateException("no event within " + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NS) + " s");
        }
        byte[] data = event.connection() == null ? new byte[0] : event.connection().privateData();
        event.ack();
        return new Answer("RDMA_CM_EVENT_" + event.type(), data);
    }

    @Override
    public WcStatus write(Region to, byte[] data) {
        return post(new SendRequest().write(to.to(), to.stag()), data);
    }

    @Override
    public WcStatus sendWithInvalidate(int stag, byte[] data) {
        return post(new SendRequest().sendWithInvalidate(stag), data);
    }

    private WcStatus post(SendRequest request, byte[] data) {
        MemorySegment.copy(data, 0, memory, ValueLayout.JAVA_BYTE, 0, data.length);
        id.qp().postSend(request.element(region, 0, data.length).signaled());
        WorkCompletion done = new WorkCompletion();
        id.awaitSend(done);
        return done.status();
    }

    @Override
    public String event() {
        return next().event();
    }

    @Override
    public void close() {
        if (region != null) {
            id.destroyQp();
            region.close();
        }
        id.close();
        channel.close();
        arena.close();
    }
}
