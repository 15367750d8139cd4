// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.config;

import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.softrdma.verbs.VerbsException;

/**
 * Keeps an option of a running device as the user's file of links has it: looks, when told to, whether the file changed.
 *
 * @param <T> what the option says
 */
public final class OptionWatch<T> {
    private static final System.Logger LOG = System.getLogger(OptionWatch.class.getName());

    private final LinkStore store;
    private final ConfiguredLink without;
    private final Function<ConfiguredLink, T> option;
    private final String what;
    private T value;
    private LinkStore.Version version;

    /**
     * @param option reads it of a link
     * @param what   for people: the device has these
     * @throws VerbsException EINVAL, EACCES or EIO: the file cannot be read or understood
     */
    public OptionWatch(LinkStore store, String device, Function<ConfiguredLink, T> option, String what) {
        this.store = store;
        this.option = option;
        this.what = what;
        without = new ConfiguredLink(device, "", "", Map.of());
        version = store.version();
        value = read();
    }

    /** As the file had it when it was read last; a link that is not there has no options. */
    public T value() {
        return value;
    }

    /**
     * Reads the file if it changed. One that is not understood leaves everything as it is, with a warning.
     *
     * @param onChange told what the file has for this device now, if that is something else
     */
    public void look(Consumer<T> onChange) {
        try {
            LinkStore.Version now = store.version();
            if (now.equals(version)) {
                return;
            }
            version = now;
            T wanted = read();
            if (!wanted.equals(value)) {
                value = wanted;
                onChange.accept(wanted);
                LOG.log(System.Logger.Level.WARNING, without.name() + " has other " + what + " now: " + wanted);
            }
        } catch (VerbsException refused) {
            LOG.log(System.Logger.Level.WARNING, without.name() + ": " + what + " stay as they are: " + refused.getMessage());
        }
    }

    private T read() {
        for (ConfiguredLink each : store.links()) {
            if (each.name().equals(without.name())) {
                return option.apply(each);
            }
        }
        return option.apply(without);
    }
}
