// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.model;

import java.nio.ByteBuffer;
import org.softrdma.wire.ib.PortInfo;

/**
 * States of ports and links: what a link does by itself when a cable is plugged in or pulled, and what subnet management may ask of it.
 * Training takes no time here. Source: IBA vol 1 §7.2.7, §14.2.5.6.
 */
final class LinkControl {
    private final FabricEvents events;

    LinkControl(FabricEvents events) {
        this.events = events;
    }

    /** Brings a link up, if both ends are there and none is disabled or asleep; both become {@link PortInfo#STATE_INIT}. */
    void train(FabricPort port) {
        FabricPort peer = port.peer();
        if (peer == null || !isPolling(port) || !isPolling(peer)) {
            return;
        }
        negotiate(port, peer);
        for (FabricPort end : new FabricPort[] {port, peer}) {
            PortInfo.PHYSICAL_STATE.set(end.info(), 0, PortInfo.PHYSICAL_LINK_UP);
            setState(end, PortInfo.STATE_INIT, true);
        }
    }

    private static boolean isPolling(FabricPort port) {
        return PortInfo.PHYSICAL_STATE.get(port.info(), 0) == PortInfo.PHYSICAL_POLLING;
    }

    /** Chooses the widest width and the greatest speed that both ends support and have enabled. */
    private static void negotiate(FabricPort one, FabricPort other) {
        int width = Integer.highestOneBit(enabledWidth(one) & enabledWidth(other) & 0xF);
        int speed = Integer.highestOneBit(enabledSpeed(one) & enabledSpeed(other));
        int speedExt = Integer.highestOneBit(enabledSpeedExt(one) & enabledSpeedExt(other));
        for (FabricPort end : new FabricPort[] {one, other}) {
            PortInfo.LINK_WIDTH_ACTIVE.set(end.info(), 0, width == 0 ? 1 : width);
            PortInfo.LINK_SPEED_ACTIVE.set(end.info(), 0, speed == 0 ? 1 : speed);
            PortInfo.LINK_SPEED_EXT_ACTIVE.set(end.info(), 0, speedExt);
        }
    }

    private static int enabledWidth(FabricPort port) {
        return PortInfo.LINK_WIDTH_ENABLED.get(port.info(), 0) & PortInfo.LINK_WIDTH_SUPPORTED.get(port.info(), 0);
    }

    private static int enabledSpeed(FabricPort port) {
        return PortInfo.LINK_SPEED_ENABLED.get(port.info(), 0) & PortInfo.LINK_SPEED_SUPPORTED.get(port.info(), 0);
    }

    private static int enabledSpeedExt(FabricPort port) {
        return PortInfo.LINK_SPEED_EXT_ENABLED.get(port.info(), 0) & PortInfo.LINK_SPEED_EXT_SUPPORTED.get(port.info(), 0);
    }

    /** Takes a link down. Each end looks for a peer again, or sleeps, as its LinkDownDefaultState says. */
    void takeDown(FabricPort port, FabricPort peer) {
        for (FabricPort end : new FabricPort[] {port, peer}) {
            if (end != null && end.state() != PortInfo.STATE_DOWN) {
                PortInfo.PHYSICAL_STATE.set(end.info(), 0, PortInfo.LINK_DOWN_DEFAULT_STATE.get(end.info(), 0));
                end.traffic().linkDowned++;
                setState(end, PortInfo.STATE_DOWN, true);
            }
        }
    }

    /** Whether a Set may ask for a state of the port and its link: armed only after initialized, active only after armed. */
    static boolean mayBecome(FabricPort port, int state, int physical) {
        if (physical != 0 && state != PortInfo.STATE_DOWN && state != PortInfo.STATE_NO_CHANGE) {
            return false;
        }
        if (physical != 0 && physical != PortInfo.PHYSICAL_POLLING && physical != PortInfo.PHYSICAL_DISABLED
            && physical != PortInfo.PHYSICAL_SLEEP) {
            return false;
        }
        return switch (state) {
            case PortInfo.STATE_NO_CHANGE, PortInfo.STATE_DOWN -> true;
            case PortInfo.STATE_ARMED -> port.state() == PortInfo.STATE_INIT || port.state() == PortInfo.STATE_ARMED;
            case PortInfo.STATE_ACTIVE -> port.state() == PortInfo.STATE_ARMED || port.state() == PortInfo.STATE_ACTIVE;
            default -> false;
        };
    }

    /** Executes a change that {@link #mayBecome} allows. */
    void set(FabricPort port, int state, int physical) {
        if (port.isInternal()) {
            return;
        }
        if (state == PortInfo.STATE_DOWN || physical != 0) {
            takeDown(port, port.peer());
            if (physical != 0) {
                PortInfo.PHYSICAL_STATE.set(port.info(), 0, physical);
            }
            train(port);
        } else if (state != PortInfo.STATE_NO_CHANGE) {
            setState(port, state, false);
        }
    }

    /** An armed port received data. */
    void activate(FabricPort port) {
        setState(port, PortInfo.STATE_ACTIVE, true);
    }

    private void setState(FabricPort port, int state, boolean byItself) {
        ByteBuffer info = port.info();
        int before = PortInfo.STATE.get(info, 0);
        PortInfo.STATE.set(info, 0, state);
        port.refresh();
        if (before != state) {
            events.onPortState(port, before, byItself);
        }
    }
}
