// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.config;

import org.softrdma.verbs.VerbsException;

/**
 * Watches the user's file of links for the deletion of a running device's link. Default devices are not in the file, and configuring
 * others does not delete them. Not thread-safe; the caller polls it.
 */
public final class DeletionWatch {
    private static final System.Logger LOG = System.getLogger(DeletionWatch.class.getName());

    private final LinkStore store;
    private final String device;
    private LinkStore.Version version;
    private boolean configured;

    /**
     * Reads the file for the first time.
     *
     * @throws VerbsException EINVAL, EACCES or EIO: the file cannot be read or understood
     */
    public DeletionWatch(LinkStore store, String device) {
        this.store = store;
        this.device = device;
        version = store.version();
        configured = store.find(device) != null;
    }

    /**
     * Reads the file again if it changed. A file that is not understood does not count as a deletion; it is logged.
     *
     * @param onDeleted runs if the device was in the file at the last reading and is no longer
     */
    public void poll(Runnable onDeleted) {
        try {
            LinkStore.Version now = store.version();
            if (now.equals(version)) {
                return;
            }
            version = now;
            boolean before = configured;
            configured = store.find(device) != null;
            if (before && !configured) {
                onDeleted.run();
            }
        } catch (VerbsException refused) {
            LOG.log(System.Logger.Level.WARNING, device + ": cannot check whether the link was deleted: " + refused.getMessage());
        }
    }
}
