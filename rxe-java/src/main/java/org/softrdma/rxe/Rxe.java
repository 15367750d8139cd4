// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import org.softrdma.device.config.NetDevice;
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
        NetDevice found = NetDevice.find(netdev);
        if (found == null) {
            throw new VerbsException(Errno.ENODEV, "link_add",
                "no network interface named " + netdev + "; there are: " + NetDevice.list().stream().map(NetDevice::name).toList());
        }
        return new RxeDevice(name, found);
    }
}
