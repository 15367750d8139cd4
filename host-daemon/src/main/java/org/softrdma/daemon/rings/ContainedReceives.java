// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import org.softrdma.device.queue.PostedReceives;
import org.softrdma.device.queue.ReceiveRing;

/**
 * Receives whose memory may vanish: a program that shortens the file of its rings makes the JVM throw an InternalError. Nothing more is
 * taken from such a ring, and the device goes on.
 */
final class ContainedReceives implements PostedReceives {
    private static final System.Logger LOG = System.getLogger(ContainedReceives.class.getName());

    private final PostedReceives receives;
    private boolean broken;

    ContainedReceives(PostedReceives receives) {
        this.receives = receives;
    }

    @Override
    public int size() {
        try {
            int size = broken ? 0 : receives.size();
            LostPages.raise();
            return size;
        } catch (InternalError vanished) {
            giveUp(vanished);
            return 0;
        }
    }

    @Override
    public boolean moveOldestTo(ReceiveRing taken) {
        try {
            boolean moved = !broken && receives.moveOldestTo(taken);
            LostPages.raise();
            return moved;
        } catch (InternalError vanished) {
            giveUp(vanished);
            return false;
        }
    }

    private void giveUp(InternalError vanished) {
        broken = true;
        LOG.log(System.Logger.Level.WARNING, "a program has cut off the file of its rings; a receive queue there stays empty", vanished);
    }
}
