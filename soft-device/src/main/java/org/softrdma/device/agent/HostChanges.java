// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.agent;

import java.nio.file.Path;
import java.util.List;
import org.softrdma.host.config.StateDirectory;
import org.softrdma.host.inspect.ProcessDirectory;
import org.softrdma.linux.NativeCalls;
import org.softrdma.linux.process.DirectoryChanges;
import org.softrdma.linux.process.EpollSet;
import org.softrdma.linux.process.InterfaceChanges;
import org.softrdma.verbs.VerbsException;

/**
 * Waits for changes of what devices follow on a Linux host: the network interfaces, the user's state directory with the file of links, and
 * the directory of the user's processes, where the end of a process is noticed as well. One thread, except {@link #wakeUp}.
 */
final class HostChanges implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(HostChanges.class.getName());

    private final EpollSet ready = new EpollSet();
    private final List<Path> directories;
    private InterfaceChanges interfaces;
    private DirectoryChanges files;

    /**
     * Follows the interfaces, and no directory yet.
     *
     * @param directories need not exist
     * @throws VerbsException EMFILE, or EIO where the host has no such notices
     */
    HostChanges(List<Path> directories) {
        this.directories = directories;
        try {
            interfaces = new InterfaceChanges();
            ready.add(interfaces.fd(), EpollSet.READABLE, interfaces.fd());
            files = new DirectoryChanges();
            ready.add(files.fd(), EpollSet.READABLE, files.fd());
        } catch (VerbsException refused) {
            close();
            throw refused;
        }
    }

    /**
     * Follows what the devices of this process follow.
     *
     * @return null where the host does not notify, or is not asked: see {@link NativeCalls#areChosen}
     */
    static HostChanges open() {
        try {
            Path state = StateDirectory.ofUser();
            return NativeCalls.areChosen() ? new HostChanges(List.of(state, new ProcessDirectory(state).path())) : null;
        } catch (VerbsException refused) {
            LOG.log(System.Logger.Level.DEBUG, "the host is looked at twice a second: " + refused.getMessage());
            return null;
        }
    }

    /**
     * Follows the directories, those too that were made since the last call.
     *
     * @return false if one does not exist, so that its changes are not noticed
     */
    boolean follow() {
        boolean all = true;
        for (Path each : directories) {
            all &= files.follow(each);
        }
        return all;
    }

    /**
     * Returns after a change, a wake-up or the timeout.
     *
     * @param timeoutNs 0 to look only, negative to wait without limit
     * @return whether it was a change
     */
    boolean await(long timeoutNs) {
        boolean changed = ready.await(timeoutNs) > 0;
        interfaces.drain();
        files.drain();
        return changed;
    }

    /** Ends the current or next {@link #await}. Any thread. */
    void wakeUp() {
        ready.wakeUp();
    }

    @Override
    public void close() {
        ready.close();
        if (interfaces != null) {
            interfaces.close();
        }
        if (files != null) {
            files.close();
        }
    }
}
