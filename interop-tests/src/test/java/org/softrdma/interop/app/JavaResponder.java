// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop.app;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.PortSpace;

/** Our responder, through the public API. */
final class JavaResponder implements IwarpResponder {
    private final Arena arena = Arena.ofShared();
    private final List<AutoCloseable> closing = new ArrayList<>();
    private final CmId listener;
    private CmId id;
    /** Memory of all regions: those of the receives, then {@link #writable}, then the others. */
    private final List<MemorySegment> memory = new ArrayList<>();
    private final List<MemoryRegion> into = new ArrayList<>();
    private MemoryRegion writable;

    JavaResponder(String address, int port) {
        QpInitAttributes qp = new QpInitAttributes(QpType.RC, null, null, null, new QpCapabilities(4, 8, 1, 1, 0), true);
        listener = ConnectionManager.get().createEndpoint(ConnectionManager.addressInfo(address, port, PortSpace.TCP, true), null, qp);
        closing.addFirst(arena);
        closing.addFirst(listener);
        listener.listen(0);
    }

    @Override
    public Regions accept(int receives, int bytes) {
        id = listener.getRequest();
        closing.addFirst(id);
        for (int i = 0; i < receives; i++) {
            into.add(register(id.pd(), AccessFlags.LOCAL_WRITE));
            id.qp().postReceive(new ReceiveRequest().begin(i).element(into.getLast(), 0, bytes));
        }
        ProtectionDomain other = id.verbs().allocatePd();
        closing.addFirst(other);
        writable = register(id.pd(), AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.MW_BIND);
        Regions regions = new Regions(reach(writable),
            reach(register(id.pd(), AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE)),
            reach(register(id.pd(), AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ)),
            reach(register(other, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ)),
            reach(into.isEmpty() ? writable : into.getLast()));
        id.accept();
        return regions;
    }

    @Override
    public void refuse(byte[] privateData) {
        id = listener.getRequest();
        closing.addFirst(id);
        id.reject(privateData);
    }

    @Override
    public Region invalidatable() {
        MemoryWindow window = id.pd().allocateMw(MemoryWindow.Type.TYPE_2);
        closing.add(closing.indexOf(id) + 1, window);
        int key = MemoryWindow.nextRkey(window.rkey());
        id.qp().postSend(new SendRequest().bindWindow(key, writable, writable.address(), SIZE, AccessFlags.REMOTE_WRITE).signaled());
        WcStatus status = awaitSend();
        if (status != WcStatus.SUCCESS) {
            throw new IllegalStateException("the window is not bound: " + status);
        }
        return new Region(key, writable.address());
    }

    @Override
    public byte[] written() {
        return memory.get(into.size()).toArray(ValueLayout.JAVA_BYTE);
    }

    @Override
    public void read(int bytes) {
        id.qp().postSend(new SendRequest().read(0, 0).element(writable, 0, bytes).signaled());
    }

    @Override
    public WcStatus readStatus() {
        return awaitSend();
    }

    private WcStatus awaitSend() {
        WorkCompletion completion = new WorkCompletion();
        id.awaitSend(completion);
        return completion.status();
    }

    @Override
    public Received receive() {
        WorkCompletion completion = new WorkCompletion();
        id.awaitReceive(completion);
        byte[] data = memory.getFirst().asSlice(0, completion.byteLength()).toArray(ValueLayout.JAVA_BYTE);
        boolean named = (completion.flags() & WcFlags.WITH_INV) != 0;
        return new Received(completion.status(), data, named ? completion.invalidatedRkey() : 0);
    }

    private MemoryRegion register(ProtectionDomain pd, int access) {
        memory.add(arena.allocate(SIZE, SIZE));
        MemoryRegion region = pd.register(memory.getLast(), access);
        closing.addFirst(region);
        return region;
    }

    private static Region reach(MemoryRegion region) {
        return new Region(region.rkey(), region.address());
    }

    @Override
    public List<WcStatus> receives() {
        List<WcStatus> statuses = new ArrayList<>();
        WorkCompletion completion = new WorkCompletion();
        for (int i = 0; i < into.size(); i++) {
            id.awaitReceive(completion);
            statuses.add(completion.status());
        }
        return statuses;
    }

    @Override
    public void close() {
        for (AutoCloseable each : closing) {
            try {
                each.close();
            } catch (Exception stuck) {
                throw new IllegalStateException("cannot close " + each, stuck);
            }
        }
    }
}
