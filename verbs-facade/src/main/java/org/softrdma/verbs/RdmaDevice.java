// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** A device in the list; nothing is opened yet. */
public interface RdmaDevice {
    /** As {@code ibv_devices} shows it: {@code rxe0}. */
    String name();

    /** Position among the devices that are configured, from 0, as {@code rdma dev show} counts them; -1 for a device that is in no list. */
    default int index() {
        return -1;
    }

    /** EUI-64, host order. */
    long nodeGuid();

    NodeType nodeType();

    Transport transport();

    /** The network interface beneath. */
    String netdev();

    /**
     * Opens the device ({@code open_device}). Several contexts may be open at once; their objects must not be mixed.
     *
     * @throws VerbsException when the device cannot run here and now, with what stands in the way: EADDRINUSE when another process
     *     has the interface's RoCE port, EADDRNOTAVAIL, ENODEV
     */
    Context open();

    /**
     * What the device is like now. A provider that can tell without opening it does, so that this works while another process is running
     * the device.
     *
     * @throws VerbsException if it has to be opened for that, and cannot be
     */
    default DeviceDescription describe() {
        try (Context context = open()) {
            return new DeviceDescription(context.queryDevice(), context.queryPort(1), context.queryGidTable());
        }
    }
}
