// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.service;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.softrdma.cm.SoftConnectionManager;
import org.softrdma.daemon.trap.ClientProcess;
import org.softrdma.daemon.trap.DescriptorNumbers;
import org.softrdma.daemon.trap.DeviceFile;
import org.softrdma.daemon.trap.DeviceNode;
import org.softrdma.daemon.trap.DeviceTree;
import org.softrdma.daemon.trap.MemoryAccess;
import org.softrdma.daemon.trap.ProgramFiles;
import org.softrdma.daemon.trap.Supervisor;
import org.softrdma.daemon.ucm.UcmDevice;
import org.softrdma.device.threads.DeviceThreads;
import org.softrdma.host.config.NetworkNamespace;
import org.softrdma.host.config.StateDirectory;
import org.softrdma.linux.process.ProcessInfo;
import org.softrdma.linux.process.SeccompListener;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.ConnectionManager;

/**
 * The kernel's part for programs: the user's devices, and all files that programs have open on them. One in a process. Programs come with
 * the listeners of their filters. Any thread.
 */
public final class Adapter implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Adapter.class.getName());
    private static final String TREE = "sysfs-";
    /** Where packets between programs of one adapter travel, for links that do not say. */
    private static final String WIRE = "softrdma.wire";
    private static final String WIRE_VARIABLE = "SOFTRDMA_WIRE";
    private static final String IN_MEMORY = "direct";
    /** Devices of this process: one that has an adapter does not join another, whatever its environment says. */
    private static final String OWN = "process";
    /** Netty's name of the machine, for nothing that we use. Without one it complains, on a program's standard error, of lacking a MAC. */
    private static final String MACHINE_ID = "io.netty.machineId";
    private static final String ANY_MACHINE = "02:00:00:00:00:01";
    /** With so many processors, two programs that poll leave none for a thread that looks for their work. */
    private static final int FEW_PROCESSORS = 2;

    private final HostDevices devices;
    private final DeviceTree tree;
    private final ProgramFiles programs;

    /**
     * Creates an adapter; devices are opened by the first program that opens them.
     *
     * @param state the user's state directory, which is created if it does not exist
     * @throws VerbsException EINVAL, EACCES, EIO: the configuration of links cannot be read, or the directory cannot be written
     */
    public Adapter(Path state) {
        System.setProperty(Verbs.HOST_PROPERTY, OWN);
        if (System.getenv(WIRE_VARIABLE) == null) {
            setUnlessSet(WIRE, IN_MEMORY);
        }
        setUnlessSet(MACHINE_ID, ANY_MACHINE);
        if (Runtime.getRuntime().availableProcessors() <= FEW_PROCESSORS) {
            setUnlessSet(DeviceThreads.SPIN_PROPERTY, "0");
        }
        devices = new HostDevices(() -> Verbs.devices(Verbs.SOFTRDMA),
            owners -> new UcmDevice((SoftConnectionManager) ConnectionManager.get(Verbs.SOFTRDMA), owners));
        try {
            tree = new DeviceTree(directory(state), devices);
        } catch (RuntimeException | Error failed) {
            devices.close();
            throw failed;
        }
        programs = new ProgramFiles(tree, new RdmaNetlink(devices));
    }

    private static void setUnlessSet(String property, String value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }

    /** Chooses the directory of the tree, and removes those of processes that were killed. */
    private static Path directory(Path state) {
        String prefix = TREE + NetworkNamespace.ofThisProcess() + '-';
        try {
            StateDirectory.create(state);
            try (DirectoryStream<Path> left = Files.newDirectoryStream(state, prefix + '*')) {
                for (Path each : left) {
                    removeIfLeft(each, prefix);
                }
            }
        } catch (IOException failed) {
            throw new VerbsException(Errno.EIO, "run", "the state directory cannot be used: " + failed, failed);
        }
        return state.resolve(prefix + ProcessHandle.current().pid() + '-' + Long.toHexString(System.nanoTime()));
    }

    private static void removeIfLeft(Path directory, String prefix) {
        String rest = directory.getFileName().toString().substring(prefix.length());
        try {
            int pid = Integer.parseInt(rest.substring(0, Math.max(0, rest.indexOf('-'))));
            if (!ProcessInfo.isAlive(pid)) {
                DeviceTree.delete(directory);
            }
        } catch (NumberFormatException | IOException other) {
            LOG.log(System.Logger.Level.DEBUG, directory + " is left as it is", other);
        }
    }

    /**
     * Answers the calls of the programs under a filter from now on.
     *
     * @param listener closed by the supervisor
     * @param memory   opens the memory of the programs
     * @param onEnd    run once when the last of the programs has ended
     */
    public Supervisor serve(SeccompListener listener, DescriptorNumbers numbers, MemoryAccess memory, Runnable onEnd) {
        return programs.serve(listener, numbers, memory, onEnd);
    }

    /**
     * Opens a device file for a process that has joined.
     *
     * @param node as below {@code /dev/infiniband}
     * @throws VerbsException ENOENT: there is none of that name; the error of the open
     */
    DeviceFile open(String node, ClientProcess process) {
        for (DeviceNode each : devices.nodes()) {
            if (each.name().equals(node)) {
                return each.open(process);
            }
        }
        throw new VerbsException(Errno.ENOENT, "open_device", "there is no " + node);
    }

    /** The devices, for processes that have joined. */
    HostDevices devices() {
        return devices;
    }

    /** Whether no program has a device open. */
    public boolean isUnused() {
        return programs.isUnused();
    }

    /** Ends all files and devices; after all supervisors were closed. */
    @Override
    public void close() {
        programs.close();
        devices.close();
        tree.close();
    }
}
