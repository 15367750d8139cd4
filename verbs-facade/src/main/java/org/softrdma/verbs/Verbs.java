// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** Entry point: the devices of all providers on the class path or module path. */
public final class Verbs {
    private Verbs() {
    }

    /** Returns every device, by {@linkplain RdmaDevice#index index}; empty if there is none ({@code get_device_list}). */
    public static List<RdmaDevice> devices() {
        List<RdmaDevice> devices = new ArrayList<>();
        for (VerbsProvider provider : ServiceLoader.load(VerbsProvider.class)) {
            devices.addAll(provider.devices());
        }
        // Not Comparator.comparingInt: its lambda is serializable, and those are created at every start, even with an AOT cache.
        devices.sort((one, other) -> Integer.compare(one.index(), other.index()));
        return devices;
    }

    /**
     * Opens the device of that name.
     *
     * @throws VerbsException ENODEV, listing the names of the existing devices; or the error of {@link RdmaDevice#open}
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
