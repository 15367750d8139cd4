// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import org.softrdma.device.config.NetDevice;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.VerbsException;

/** Devices made on the spot, for programs that do not want to depend on what is configured. */
public final class Siw {
    private Siw() {
    }

    /**
     * An iWARP device that is in no list and no file.
     *
     * @param name   anything; devices of one name in one process are one device
     * @param netdev interface name
     * @throws VerbsException ENODEV if there is no such interface
     */
    public static RdmaDevice device(String name, String netdev) {
        return device(name, netdev, MpaOptions.DEFAULT);
    }

    /** As {@link #device(String, String)}, its connections set up as the options say. */
    public static RdmaDevice device(String name, String netdev, MpaOptions options) {
        return new SiwDevice(name, NetDevice.require(netdev), options);
    }

    /**
     * Has the connections that an open device begins from now on set up like this, for all contexts of this process on it. Any thread.
     *
     * @param context of an siw device
     * @throws VerbsException EOPNOTSUPP if it is another's
     */
    public static void setOptions(Context context, MpaOptions options) {
        running("set_mpa", context).options(options);
    }

    /** How connections are set up now; EOPNOTSUPP if it is no siw device. */
    public static MpaOptions options(Context context) {
        return running("get_mpa", context).options();
    }

    private static RunningDevice running(String verb, Context context) {
        if (context instanceof SiwContext siw) {
            return siw.running();
        }
        throw new VerbsException(Errno.EOPNOTSUPP, verb, context + " is not of an siw device; others have no MPA");
    }
}
