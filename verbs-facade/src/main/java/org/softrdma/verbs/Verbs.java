// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;

/**
 * Entry point: the devices of all providers on the class path or module path. Devices of different {@linkplain RdmaDevice#origin
 * origins} may have the same name.
 */
public final class Verbs {
    /**
     * System property: origins in the order in which their devices are listed and searched, separated by commas. Those that it does not
     * name come last.
     */
    public static final String ORDER_PROPERTY = "softrdma.providers";

    /** Origin of this project's own devices. */
    public static final String SOFTRDMA = "softrdma";

    /**
     * System property, and without it {@link #HOST_VARIABLE}: {@code daemon} has this process use the devices of the user's daemon, which
     * it shares with C programs; {@code process}, as without a value, devices of its own.
     */
    public static final String HOST_PROPERTY = "softrdma.host";

    /** Environment variable for {@link #HOST_PROPERTY}. */
    public static final String HOST_VARIABLE = "SOFTRDMA_HOST";

    private static final String DAEMON = "daemon";
    private static final String PROCESS = "process";
    private static final String DEFAULT_ORDER = SOFTRDMA + ",libibverbs";

    private Verbs() {
    }

    /**
     * {@return whether this project's devices are the daemon's: {@link #HOST_PROPERTY}} Providers of this process's own list none then.
     *
     * @throws VerbsException EINVAL: it has another value
     */
    public static boolean usesDaemon() {
        String property = System.getProperty(HOST_PROPERTY);
        String chosen = property != null ? property : System.getenv().getOrDefault(HOST_VARIABLE, "");
        if (!chosen.isEmpty() && !chosen.equals(DAEMON) && !chosen.equals(PROCESS)) {
            throw new VerbsException(Errno.EINVAL, "get_device_list", (property != null ? HOST_PROPERTY : HOST_VARIABLE) + " is " + DAEMON
                + " or " + PROCESS + ", not '" + chosen + "'");
        }
        return chosen.equals(DAEMON);
    }

    /**
     * Position of an origin in the order of {@link #ORDER_PROPERTY}.
     *
     * @param origin as {@link RdmaDevice#origin}
     * @return from 0; one more than the last for an origin that is not named
     */
    public static int rank(String origin) {
        List<String> order = List.of(System.getProperty(ORDER_PROPERTY, DEFAULT_ORDER).split(","));
        int position = order.indexOf(origin);
        return position < 0 ? order.size() : position;
    }

    /**
     * Lists the devices ({@code get_device_list}).
     *
     * @return every device, by origin in the order of {@link #ORDER_PROPERTY}, then by {@linkplain RdmaDevice#index index}
     * @throws VerbsException EINVAL: {@link #HOST_PROPERTY} has another value than it may; with {@code daemon}: ENODEV, no daemon runs;
     *                        ENOSYS, softrdma-daemon is missing
     */
    public static List<RdmaDevice> devices() {
        List<RdmaDevice> devices = new ArrayList<>();
        boolean lacksDaemon = usesDaemon();
        for (VerbsProvider provider : ServiceLoader.load(VerbsProvider.class)) {
            lacksDaemon &= !provider.name().equals(DAEMON);
            devices.addAll(provider.devices());
        }
        if (lacksDaemon) {
            throw new VerbsException(Errno.ENOSYS, "get_device_list",
                HOST_VARIABLE + "=" + DAEMON + " needs softrdma-daemon on the class path or module path");
        }
        // Not Comparator.comparingInt: its lambda is serializable, and those are created at every start, even with an AOT cache.
        devices.sort((one, other) -> rank(one.origin()) != rank(other.origin())
            ? Integer.compare(rank(one.origin()), rank(other.origin())) : Integer.compare(one.index(), other.index()));
        return devices;
    }

    /**
     * Lists the devices of one {@linkplain RdmaDevice#origin origin}.
     *
     * @param origin of the devices
     * @return in the order of {@link #devices()}
     */
    public static List<RdmaDevice> devices(String origin) {
        return devices().stream().filter(device -> device.origin().equals(origin)).toList();
    }

    /**
     * Names devices so that {@link RdmaDevice#isNamed} finds them: with the origin if a device before it has the same name.
     *
     * @param devices of a list
     * @return their names, in the order of the list
     */
    public static List<String> names(List<RdmaDevice> devices) {
        Set<String> taken = new HashSet<>();
        return devices.stream().map(device -> taken.add(device.name()) ? device.name() : device.qualifiedName()).toList();
    }

    /**
     * Opens the first device of that name.
     *
     * @param name as in {@code rxe0}, or with its origin as in {@code libibverbs:rxe0}
     * @return the context, to be closed
     * @throws VerbsException ENODEV, listing the names of the existing devices; or the error of {@link RdmaDevice#open}
     */
    public static Context open(String name) {
        List<RdmaDevice> devices = devices();
        for (RdmaDevice each : devices) {
            if (each.isNamed(name)) {
                return each.open();
            }
        }
        throw new VerbsException(Errno.ENODEV, "open_device", "no device named " + name + "; there are: " + names(devices) + missing(name));
    }

    /** Says why the provider in a name has no devices. */
    private static String missing(String name) {
        for (VerbsProvider provider : ServiceLoader.load(VerbsProvider.class)) {
            if (name.startsWith(provider.name() + ":") && provider.missing() != null) {
                return "; " + provider.missing();
            }
        }
        return "";
    }
}
