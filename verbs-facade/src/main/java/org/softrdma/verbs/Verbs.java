// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/**
 * Entry point: the devices of all providers on the class path or module path. Devices of different {@linkplain VerbsProvider#origin
 * origins} may have the same name.
 */
public final class Verbs {
    /**
     * System property: origins in the order in which their devices are listed and searched, separated by commas. Those that it does not
     * name come last.
     */
    public static final String ORDER_PROPERTY = "softrdma.providers";

    private static final String DEFAULT_ORDER = "softrdma,libibverbs";

    private Verbs() {
    }

    /** A device and the provider that lists it. */
    private record Listed(RdmaDevice device, String origin, int rank) {
        boolean isNamed(String name) {
            return device.name().equals(name) || (origin + ":" + device.name()).equals(name);
        }
    }

    /**
     * Position of an origin in the order of {@link #ORDER_PROPERTY}.
     *
     * @param origin as {@link VerbsProvider#origin}
     * @return from 0; one more than the last for an origin that is not named
     */
    public static int rank(String origin) {
        List<String> order = List.of(System.getProperty(ORDER_PROPERTY, DEFAULT_ORDER).split(","));
        int position = order.indexOf(origin);
        return position < 0 ? order.size() : position;
    }

    private static List<Listed> listed() {
        List<Listed> devices = new ArrayList<>();
        for (VerbsProvider provider : ServiceLoader.load(VerbsProvider.class)) {
            int rank = rank(provider.origin());
            for (RdmaDevice device : provider.devices()) {
                devices.add(new Listed(device, provider.origin(), rank));
            }
        }
        // Not Comparator.comparingInt: its lambda is serializable, and those are created at every start, even with an AOT cache.
        devices.sort((one, other) -> one.rank != other.rank ? Integer.compare(one.rank, other.rank)
            : Integer.compare(one.device.index(), other.device.index()));
        return devices;
    }

    /**
     * Returns every device, by origin in the order of {@link #ORDER_PROPERTY}, then by {@linkplain RdmaDevice#index index}; empty if there
     * is none ({@code get_device_list}).
     */
    public static List<RdmaDevice> devices() {
        return listed().stream().map(Listed::device).toList();
    }

    /**
     * Opens the first device of that name.
     *
     * @param name as in {@code rxe0}, or with its origin as in {@code libibverbs:rxe0}
     * @throws VerbsException ENODEV, listing the names of the existing devices; or the error of {@link RdmaDevice#open}
     */
    public static Context open(String name) {
        List<Listed> devices = listed();
        for (Listed each : devices) {
            if (each.isNamed(name)) {
                return each.device.open();
            }
        }
        boolean ofOneOrigin = devices.stream().map(Listed::origin).distinct().count() < 2;
        throw new VerbsException(Errno.ENODEV, "open_device", "no device named " + name + "; there are: "
            + devices.stream().map(each -> ofOneOrigin ? each.device.name() : each.origin + ":" + each.device.name()).toList()
            + missing(name));
    }

    /** Says why there are no devices of the origin in a name. */
    private static String missing(String name) {
        for (VerbsProvider provider : ServiceLoader.load(VerbsProvider.class)) {
            if (name.startsWith(provider.origin() + ":") && provider.missing() != null) {
                return "; " + provider.missing();
            }
        }
        return "";
    }
}
