// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** A device of the list, not opened yet. */
public interface RdmaDevice {
    /** {@return the name as in {@code ibv_devices}: {@code rxe0}} */
    String name();

    /**
     * {@return the name of the implementation in one word} It tells devices of one name apart, as in {@code softrdma:rxe0} and
     * {@code libibverbs:rxe0}. All of this project's own devices share the default.
     */
    default String origin() {
        return Verbs.SOFTRDMA;
    }

    /**
     * Compares a name of the user's.
     *
     * @param name as in {@code rxe0}, or with its origin as in {@code libibverbs:rxe0}
     * @return whether it means this device
     */
    default boolean isNamed(String name) {
        return name().equals(name) || qualifiedName().equals(name);
    }

    /** {@return the name with its origin, as in {@code softrdma:rxe0}} */
    default String qualifiedName() {
        return origin() + ":" + name();
    }

    /** {@return the position among the configured devices, from 0, as in {@code rdma dev show}; -1 for a device that is in no list} */
    default int index() {
        return -1;
    }

    /** {@return EUI-64 of the node, host order} */
    long nodeGuid();

    /** {@return the kind of node} */
    NodeType nodeType();

    /** {@return the family of protocols} */
    Transport transport();

    /** {@return the name of the network interface that the device uses} */
    String netdev();

    /**
     * Opens the device ({@code open_device}). Several contexts may be open at once; their objects must not be mixed.
     *
     * @return the context, to be closed
     * @throws VerbsException if the device cannot run, with the reason: EADDRINUSE if another process has the interface's RoCE port,
     *     EADDRNOTAVAIL, ENODEV
     */
    Context open();

    /**
     * Describes the current state of the device. A provider does this without opening the device if it can, so that it works while another
     * process runs the device.
     *
     * @return attributes of the device and of its port
     * @throws VerbsException if the device must be opened for that and cannot be
     */
    default DeviceDescription describe() {
        try (Context context = open()) {
            return new DeviceDescription(context.queryDevice(), context.queryPort(1), context.queryGidTable());
        }
    }
}
