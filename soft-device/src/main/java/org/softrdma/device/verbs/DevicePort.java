// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.softrdma.host.config.NetDevice;
import org.softrdma.verbs.AsyncEventType;

/** The only port of a running device: the last known state of its network interface, and the contexts that receive its events. */
public final class DevicePort {
    public static final int NUMBER = 1;
    private static final System.Logger LOG = System.getLogger(DevicePort.class.getName());

    private final Set<SoftContext> contexts = ConcurrentHashMap.newKeySet();
    private volatile NetDevice netdev;

    public DevicePort(NetDevice netdev) {
        this.netdev = netdev;
    }

    /**
     * Last known state of the interface.
     *
     * @return never null, also after the interface was removed
     */
    public NetDevice netdev() {
        return netdev;
    }

    /**
     * Current state of the interface, from the result of a look-up.
     *
     * @param found null if the interface does not exist any more; it may be created again later
     * @return {@code found}, or the last known interface marked as gone
     */
    public NetDevice orLastKnown(NetDevice found) {
        return found != null ? found : netdev.gone();
    }

    /**
     * Records the current state of the interface.
     *
     * @param now not null; {@link #orLastKnown} for an interface that does not exist any more
     */
    public void update(NetDevice now) {
        netdev = now;
    }

    /**
     * Raises PORT_ACTIVE or PORT_ERR on all contexts if the link state has changed.
     *
     * @param before state of the interface before the last update
     */
    public void raiseChange(NetDevice before) {
        if (before.isActive() != netdev.isActive()) {
            raise(netdev.isActive() ? AsyncEventType.PORT_ACTIVE : AsyncEventType.PORT_ERR);
        }
    }

    /** Raises an event of the port on all contexts. */
    public void raise(AsyncEventType type) {
        raise(type, NUMBER);
    }

    /** Raises an event of the device on all contexts. */
    public void raiseOfDevice(AsyncEventType type) {
        raise(type, 0);
    }

    private void raise(AsyncEventType type, int port) {
        LOG.log(System.Logger.Level.DEBUG, netdev.name() + ": " + type.text());
        contexts.forEach(context -> context.raise(type, port));
    }

    /**
     * Live view of the open contexts.
     *
     * @return thread-safe; also shows contexts opened later
     */
    Set<SoftContext> contexts() {
        return contexts;
    }

    /** Raises DEVICE_FATAL on all contexts because the device's link was deleted. The device runs until its last context is closed. */
    public void removed() {
        LOG.log(System.Logger.Level.WARNING, netdev.name() + ": the device's link was deleted while it is in use");
        contexts.forEach(SoftContext::removed);
    }

    public void enter(SoftContext context) {
        contexts.add(context);
    }

    /**
     * Removes a context that is being closed.
     *
     * @return true if it was the last one
     */
    public boolean leave(SoftContext context) {
        contexts.remove(context);
        return contexts.isEmpty();
    }
}
