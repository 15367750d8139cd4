// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.softrdma.host.config.NetDevice;
import org.softrdma.verbs.AsyncEventType;

/** A running device's one port: the network interface beneath as it was seen last, and the contexts that are told of changes. */
public final class DevicePort {
    public static final int NUMBER = 1;
    private static final System.Logger LOG = System.getLogger(DevicePort.class.getName());

    private final Set<SoftContext> contexts = ConcurrentHashMap.newKeySet();
    private volatile NetDevice netdev;

    public DevicePort(NetDevice netdev) {
        this.netdev = netdev;
    }

    /** The interface as it was seen last. */
    public NetDevice netdev() {
        return netdev;
    }

    /** What the interface is like now that it was looked for. @param found null if there is none any more; it may come back */
    public NetDevice orGone(NetDevice found) {
        return found != null ? found : netdev.gone();
    }

    /** The interface is like this now. */
    public void is(NetDevice now) {
        netdev = now;
    }

    /** Tells all contexts whether the port came up or went down since. @param before the interface then */
    public void tellOfChange(NetDevice before) {
        if (before.isActive() != netdev.isActive()) {
            raise(netdev.isActive() ? AsyncEventType.PORT_ACTIVE : AsyncEventType.PORT_ERR);
        }
    }

    /** An event of the port, to all contexts. */
    public void raise(AsyncEventType type) {
        raise(type, NUMBER);
    }

    /** An event of the device, to all contexts. */
    public void raiseOfDevice(AsyncEventType type) {
        raise(type, 0);
    }

    private void raise(AsyncEventType type, int port) {
        LOG.log(System.Logger.Level.DEBUG, netdev.name() + ": " + type.text());
        contexts.forEach(context -> context.raise(type, port));
    }

    /** Those that are open, now and later. */
    Set<SoftContext> contexts() {
        return contexts;
    }

    /** The device's link was deleted: all contexts are told. It goes on until they are closed. */
    public void removed() {
        LOG.log(System.Logger.Level.WARNING, netdev.name() + ": the device's link was deleted while it is in use");
        contexts.forEach(SoftContext::removed);
    }

    public void enter(SoftContext context) {
        contexts.add(context);
    }

    /** @return whether it was the last one */
    public boolean leave(SoftContext context) {
        contexts.remove(context);
        return contexts.isEmpty();
    }
}
