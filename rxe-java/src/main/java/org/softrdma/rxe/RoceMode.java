// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.util.function.Supplier;
import org.softrdma.host.config.ConfiguredLink;
import org.softrdma.host.config.LinkStore;
import org.softrdma.rxe.config.RxeLinkType;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.VerbsException;

/**
 * The version of RoCE for connections by address, from the user's file of links: the file is read again when it has changed. Thread-safe.
 */
final class RoceMode implements Supplier<GidType> {
    private static final System.Logger LOG = System.getLogger(RoceMode.class.getName());

    private final LinkStore store;
    private final String device;
    private LinkStore.Version version;
    private GidType mode;

    /**
     * Creates the supplier for one device.
     *
     * @param usual version used unless the file has another one
     */
    RoceMode(LinkStore store, String device, GidType usual) {
        this.store = store;
        this.device = device;
        mode = usual;
    }

    @Override
    public synchronized GidType get() {
        try {
            LinkStore.Version now = store.version();
            if (!now.equals(version)) {
                version = now;
                ConfiguredLink link = store.find(device);
                if (link != null) {
                    mode = RxeLinkType.roceMode(link);
                }
            }
        } catch (VerbsException refused) {
            LOG.log(System.Logger.Level.WARNING, device + ": the RoCE mode stays " + mode.text() + ": " + refused.getMessage());
        }
        return mode;
    }
}
