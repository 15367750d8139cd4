// SPDX-License-Identifier: Apache-2.0
package org.softrdma.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.softrdma.device.verbs.OpenObject;
import org.softrdma.device.verbs.SoftContext;
import org.softrdma.device.verbs.UnpolledCompletions;
import org.softrdma.verbs.NodeType;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Transport;

/** A device of a fabric, which remembers where the program has opened it and what it made with it. */
final class TestDevice implements RdmaDevice {
    private final String name;
    private final DeviceKind kind;
    private final String netdev;
    private final long nodeGuid;
    private final Supplier<SoftContext> opener;
    private final List<Opened> contexts = new CopyOnWriteArrayList<>();

    /** A context that the program has opened. */
    record Opened(SoftContext context, List<StackTraceElement> where) {
    }

    /** @param opener opens a further context of the device */
    TestDevice(String name, DeviceKind kind, String netdev, long nodeGuid, Supplier<SoftContext> opener) {
        this.name = name;
        this.kind = kind;
        this.netdev = netdev;
        this.nodeGuid = nodeGuid;
        this.opener = opener;
    }

    DeviceKind kind() {
        return kind;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long nodeGuid() {
        return nodeGuid;
    }

    @Override
    public NodeType nodeType() {
        return kind == DeviceKind.IWARP ? NodeType.RNIC : NodeType.CA;
    }

    @Override
    public Transport transport() {
        return kind == DeviceKind.IWARP ? Transport.IWARP : Transport.INFINIBAND;
    }

    @Override
    public String netdev() {
        return netdev;
    }

    @Override
    public SoftContext open() {
        SoftContext context = opener.get();
        context.traceObjects();
        contexts.add(new Opened(context, List.of(new Throwable().getStackTrace())));
        return context;
    }

    /** Opens a context whose objects are not tracked. */
    SoftContext openUntracked() {
        return opener.get();
    }

    /** Contexts that are open, with the places where they were opened. */
    List<Opened> open(boolean isOpen) {
        List<Opened> matching = new ArrayList<>();
        for (Opened each : contexts) {
            if (each.context.isOpen() == isOpen) {
                matching.add(each);
            }
        }
        return matching;
    }

    /** Completions that queues of this device were closed with. */
    List<UnpolledCompletions> unpolled() {
        return contexts.stream().flatMap(each -> each.context.unpolledAtClose().stream()).toList();
    }

    /** Closes all contexts and their objects, in the order in which they depend on each other, as far as that is possible. */
    void closeAll() {
        for (Opened each : open(true)) {
            List<Object> objects = each.context.openObjects().stream().map(OpenObject::object).toList();
            Leaks.closeInOrder(objects);
            Leaks.closeQuietly(each.context);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
