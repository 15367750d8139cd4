// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import org.softrdma.linux.process.NetlinkSocket;
import org.softrdma.linux.process.SeccompListener;

/** Devices, files and processes of all programs of one adapter, whichever filter they run under. Any thread. */
public final class ProgramFiles implements AutoCloseable {
    private final EndWatch ends = new EndWatch();
    private final SignalWatch signals = new SignalWatch();
    private final OpenFiles files = new OpenFiles();
    private final Processes processes = new Processes(files, ends);
    private final DeviceTree tree;
    private final DevicePaths paths;

    private final NetlinkAnswers netlink;
    private final NetlinkSocket netlinkSocket = new NetlinkSocket();

    /**
     * Starts with nothing open.
     *
     * @param tree    belongs to the caller
     * @param netlink answers requests of the netlink family RDMA
     */
    public ProgramFiles(DeviceTree tree, NetlinkAnswers netlink) {
        this.tree = tree;
        this.netlink = netlink;
        paths = new DevicePaths(tree);
    }

    /**
     * Answers the calls of the programs under a filter from now on.
     *
     * @param listener closed by the supervisor
     * @param memory   opens the memory of the programs
     * @param onEnd    run once when the last of the programs has ended; the supervisor must still be closed, by another thread
     */
    public Supervisor serve(SeccompListener listener, DescriptorNumbers numbers, MemoryAccess memory, Runnable onEnd) {
        return new Supervisor(listener, numbers, memory, this, onEnd);
    }

    /** Whether no program has a file open. */
    public boolean isUnused() {
        return files.isEmpty();
    }

    SignalWatch signals() {
        return signals;
    }

    OpenFiles files() {
        return files;
    }

    Processes processes() {
        return processes;
    }

    NetlinkAnswers netlink() {
        return netlink;
    }

    NetlinkSocket netlinkSocket() {
        return netlinkSocket;
    }

    DeviceTree tree() {
        return tree;
    }

    DevicePaths paths() {
        return paths;
    }

    /** Ends the watch of processes; after all supervisors were closed. */
    @Override
    public void close() {
        ends.close();
        signals.close();
        netlinkSocket.close();
    }
}
