// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.util.function.Consumer;
import org.softrdma.device.config.ConfiguredLink;
import org.softrdma.device.config.LinkStore;
import org.softrdma.device.fault.LinkFaults;
import org.softrdma.verbs.VerbsException;

/** Keeps the faults of a running device as the user's file of links has them: looks, when told to, whether the file changed. */
final class FaultWatch {
    private static final System.Logger LOG = System.getLogger(FaultWatch.class.getName());

    private final LinkStore store;
    private final String device;
    private LinkFaults faults;
    private LinkStore.Version version;

    /** @throws VerbsException EINVAL, EACCES or EIO: the file cannot be read or understood */
    FaultWatch(LinkStore store, String device) {
        this.store = store;
        this.device = device;
        version = store.version();
        faults = read();
    }

    /** As the file had them when it was read last. */
    LinkFaults faults() {
        return faults;
    }

    /**
     * Reads the file if it changed. One that is not understood leaves everything as it is, with a warning.
     *
     * @param onChange told the faults if the file has others for this device
     */
    void look(Consumer<LinkFaults> onChange) {
        try {
            LinkStore.Version now = store.version();
            if (now.equals(version)) {
                return;
            }
            version = now;
            LinkFaults wanted = read();
            if (!wanted.equals(faults)) {
                faults = wanted;
                onChange.accept(wanted);
                LOG.log(System.Logger.Level.WARNING, device + " has other faults on its link now: " + wanted);
            }
        } catch (VerbsException refused) {
            LOG.log(System.Logger.Level.WARNING, device + ": faults stay as they are: " + refused.getMessage());
        }
    }

    private LinkFaults read() {
        for (ConfiguredLink each : store.links()) {
            if (each.name().equals(device)) {
                return each.faults();
            }
        }
        return LinkFaults.NONE;
    }
}
