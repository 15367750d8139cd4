// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import org.softrdma.device.config.NetDevice;
import org.softrdma.link.fault.LinkFaults;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.VerbsException;

/** Devices made on the spot, for programs that do not want to depend on what is configured. */
public final class Rxe {
    private Rxe() {
    }

    /**
     * An rxe device that is in no list and no file.
     *
     * @param name   anything; devices of one name in one process are one device
     * @param netdev interface name; on the loopback interface every device takes a 127.0.0.x of its own
     * @throws VerbsException ENODEV if there is no such interface
     */
    public static RdmaDevice device(String name, String netdev) {
        return device(name, netdev, RxeOptions.DEFAULT);
    }

    /** As {@link #device(String, String)}, on a wire with faults. */
    public static RdmaDevice device(String name, String netdev, LinkFaults faults) {
        return device(name, netdev, RxeOptions.DEFAULT.withFaults(faults));
    }

    /** As {@link #device(String, String)}, with options. */
    public static RdmaDevice device(String name, String netdev, RxeOptions options) {
        return new RxeDevice(name, NetDevice.require(netdev), options);
    }

    /**
     * Changes what the wire does to the packets of an open device, for all contexts of this process on it. Any thread.
     *
     * @param context of an rxe device
     * @throws VerbsException EOPNOTSUPP if it is another's
     */
    public static void setFaults(Context context, LinkFaults faults) {
        running("set_faults", context).setFaults(faults);
    }

    /** What the wire does to the packets of an open device now; EOPNOTSUPP if it is no rxe device. */
    public static LinkFaults faults(Context context) {
        return running("get_faults", context).faults();
    }

    private static RunningDevice running(String verb, Context context) {
        if (context instanceof RxeContext rxe) {
            return rxe.running();
        }
        throw new VerbsException(Errno.EOPNOTSUPP, verb, context + " is not of an rxe device; others have no faults yet");
    }
}
