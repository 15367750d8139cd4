// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.config;

import java.util.function.Consumer;
import org.softrdma.verbs.VerbsException;

/**
 * Follows one option of a running device in the user's file of links. Not thread-safe; the caller polls it.
 *
 * @param <T> type of the option's value
 */
public final class OptionWatch<T> {
    private static final System.Logger LOG = System.getLogger(OptionWatch.class.getName());

    private final LinkStore store;
    private final String device;
    private final LinkOption<T> option;
    private T value;
    private LinkStore.Version version;

    /**
     * Reads the option for the first time.
     *
     * @param option one that running devices {@linkplain LinkOption#isFollowed() follow}, with a usual value
     * @throws VerbsException EINVAL, EACCES or EIO: the file cannot be read or understood
     */
    public OptionWatch(LinkStore store, String device, LinkOption<T> option) {
        assert option.isFollowed() && option.usual() != null : option;
        this.store = store;
        this.device = device;
        this.option = option;
        version = store.version();
        value = read();
    }

    /** The value at the last reading of the file; the usual one if the link is not in the file. */
    public T value() {
        return value;
    }

    /**
     * Reads the file again if it changed. A file that is not understood leaves the value as it is, with a warning.
     *
     * @param onChange receives the new value if it differs from the last one
     */
    public void poll(Consumer<T> onChange) {
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
                LOG.log(System.Logger.Level.INFO, device + ": " + option.title() + " changed to " + option.format(wanted));
            }
        } catch (VerbsException refused) {
            LOG.log(System.Logger.Level.WARNING, device + ": " + option.title() + " not updated: " + refused.getMessage());
        }
    }

    private T read() {
        ConfiguredLink link = store.find(device);
        return link == null ? option.usual() : link.get(option);
    }
}
