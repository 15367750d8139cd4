// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** The way in: the devices of all providers on the class path. */
public final class Verbs {
    private Verbs() {
    }

    /** {@code get_device_list}: every device, by {@linkplain RdmaDevice#index index}; empty if there is none. */
    public static List<RdmaDevice> devices() {
        List<RdmaDevice> devices = new ArrayList<>();
        for (VerbsProvider provider : ServiceLoader.load(VerbsProvider.class)) {
            devices.addAll(provider.devices());
        }
        // Not Comparator.comparingInt: its lambda is serializable, and those are made anew at every start, AOT cache or not.
        devices.sort((one, other) -> Integer.compare(one.index(), other.index()));
        return devices;
    }

    /**
     * Opens the device of that name.
     *
     * @throws VerbsException ENODEV, listing the names there are; or whatever stands in the device's way
     */
    public static Context open(String name) {
        List<RdmaDevice> devices = devices();
        for (RdmaDevice device : devices) {
            if (device.name().equals(name)) {
                return device.open();
            }
        }
        throw new VerbsException(Errno.ENODEV, "open_device",
            "no device named " + name + "; there are: " + devices.stream().map(RdmaDevice::name).toList());
    }
}
