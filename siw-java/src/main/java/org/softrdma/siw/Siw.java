// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import org.softrdma.host.config.NetDevice;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.VerbsException;

/** Makes devices for programs that do not want to depend on configuration. */
public final class Siw {
    private Siw() {
    }

    /**
     * Makes an iWARP device that is in no list and no file.
     *
     * @param name   any name; devices of the same name in one process are one device
     * @param netdev interface name
     * @return the device, not open
     * @throws VerbsException ENODEV if there is no such interface
     */
    public static RdmaDevice device(String name, String netdev) {
        return device(name, netdev, MpaOptions.DEFAULT);
    }

    /**
     * Makes an iWARP device as {@link #device(String, String)} does, with options.
     *
     * @param name    any name
     * @param netdev  interface name
     * @param options for the set-up of its connections
     * @return the device, not open
     */
    public static RdmaDevice device(String name, String netdev, MpaOptions options) {
        return new SiwDevice(name, NetDevice.require(netdev), options);
    }

    /**
     * Changes the options of an open device, for connections that begin from now on, in all contexts of this process. Any thread.
     *
     * @param context on an siw device
     * @param options replace those of the device
     * @throws VerbsException EOPNOTSUPP if the device is not an siw device
     */
    public static void setOptions(Context context, MpaOptions options) {
        running("set_mpa", context).options(options);
    }

    /**
     * Reads the current options of an open device.
     *
     * @param context on an siw device
     * @return the options of new connections
     * @throws VerbsException EOPNOTSUPP if the device is not an siw device
     */
    public static MpaOptions options(Context context) {
        return running("get_mpa", context).options();
    }

    private static RunningSiw running(String verb, Context context) {
        if (context instanceof SiwContext siw) {
            return siw.running();
        }
        throw new VerbsException(Errno.EOPNOTSUPP, verb, context + " is not of an siw device; others have no MPA");
    }
}
