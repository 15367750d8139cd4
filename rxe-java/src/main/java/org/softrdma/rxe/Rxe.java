// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import org.softrdma.host.config.NetDevice;
import org.softrdma.link.fault.LinkFaults;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.VerbsException;

/** Creates rxe devices for programs that must not depend on the configuration. */
public final class Rxe {
    private Rxe() {
    }

    /**
     * Creates an rxe device that is neither listed nor configured.
     *
     * @param name   anything; devices of one name in one process are one device
     * @param netdev interface name; on the loopback interface, each device uses its own 127.0.x.y
     * @return the device, not open
     * @throws VerbsException ENODEV if there is no such interface
     */
    public static RdmaDevice device(String name, String netdev) {
        return device(name, netdev, RxeOptions.DEFAULT);
    }

    /**
     * Creates a device as {@link #device(String, String)} does, with faults on its link.
     *
     * @param name   anything
     * @param netdev interface name
     * @param faults of packets that are sent and received
     * @return the device, not open
     */
    public static RdmaDevice device(String name, String netdev, LinkFaults faults) {
        return device(name, netdev, RxeOptions.DEFAULT.withFaults(faults));
    }

    /**
     * Creates a device as {@link #device(String, String)} does, with options.
     *
     * @param name    anything
     * @param netdev  interface name
     * @param options of the device
     * @return the device, not open
     */
    public static RdmaDevice device(String name, String netdev, RxeOptions options) {
        return new RxeDevice(name, NetDevice.require(netdev), options);
    }

    /**
     * Changes the link faults of an open device, for all its contexts in this process. Any thread.
     *
     * @param context of an rxe device
     * @param faults  of packets that are sent and received from now on
     * @throws VerbsException EOPNOTSUPP if it belongs to another kind of device
     */
    public static void setFaults(Context context, LinkFaults faults) {
        running("set_faults", context).setFaults(faults);
    }

    /**
     * Returns the present link faults of an open device; EOPNOTSUPP if it is not an rxe device.
     *
     * @param context of an rxe device
     * @return the faults
     * @throws VerbsException EOPNOTSUPP if it belongs to another kind of device
     */
    public static LinkFaults faults(Context context) {
        return running("get_faults", context).faults();
    }

    private static RunningRxe running(String verb, Context context) {
        if (context instanceof RxeContext rxe) {
            return rxe.running();
        }
        throw new VerbsException(Errno.EOPNOTSUPP, verb, context + " does not belong to an rxe device; only these support faults");
    }
}
