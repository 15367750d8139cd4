// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.config;

import org.softrdma.verbs.VerbsException;

/**
 * Notices that the link of a running device was deleted from the user's file of links: looks, when told to, whether the file changed. A
 * default device is in no file, and not deleted when others are configured.
 */
public final class DeletionWatch {
    private static final System.Logger LOG = System.getLogger(DeletionWatch.class.getName());

    private final LinkStore store;
    private final String device;
    private LinkStore.Version version;
    private boolean configured;

    /** @throws VerbsException EINVAL, EACCES or EIO: the file cannot be read or understood */
    public DeletionWatch(LinkStore store, String device) {
        this.store = store;
        this.device = device;
        version = store.version();
        configured = isConfigured();
    }

    /**
     * Reads the file if it changed. One that is not understood changes nothing.
     *
     * @param onDeleted called if the device was in the file, and is not any more
     */
    public void look(Runnable onDeleted) {
        try {
            LinkStore.Version now = store.version();
            if (now.equals(version)) {
                return;
            }
            version = now;
            boolean before = configured;
            configured = isConfigured();
            if (before && !configured) {
                onDeleted.run();
            }
        } catch (VerbsException refused) {
            LOG.log(System.Logger.Level.WARNING, device + ": whether it was deleted is not known: " + refused.getMessage());
        }
    }

    private boolean isConfigured() {
        return store.links().stream().anyMatch(link -> link.name().equals(device));
    }
}
