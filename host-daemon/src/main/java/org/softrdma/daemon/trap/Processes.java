// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.Int2ObjectHashMap;
import org.softrdma.linux.process.PidFd;
import org.softrdma.linux.process.ProcessInfo;
import org.softrdma.linux.process.ProcessMemory;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * The processes that use files of ours, and the end of these files with them. A file whose last close can be seen ends with that; any other
 * ends with the process that opened it. Any thread.
 */
final class Processes {
    /** Where the byte goes that is read to see whether it can be. */
    private static final ThreadLocal<MemorySegment> PROBED = ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(8));

    private final OpenFiles files;
    private final EndWatch ends;
    /** By process ID; guarded by this object's monitor. */
    private final Int2ObjectHashMap<Client> clients = new Int2ObjectHashMap<>();

    Processes(OpenFiles files, EndWatch ends) {
        this.files = files;
        this.ends = ends;
    }

    /**
     * Finds the process of a thread that waits for an answer.
     *
     * @param id    of the notification, by which it is checked that the thread still waits
     * @param probe an address that the process can read: it tells whether the process has executed another program since it was seen last
     * @throws VerbsException ESRCH: the caller is gone; EACCES: its memory may not be opened
     */
    Client of(Supervisor supervisor, int tid, long id, long probe) {
        int pid = processOf(tid);
        Client known = known(pid);
        if (known != null && !known.descriptor.hasEnded() && canRead(known.memory(), probe)) {
            return known;
        }
        Client opened = open(supervisor, pid);
        if (!supervisor.isValid(id)) {
            close(opened);
            throw new VerbsException(Errno.ESRCH, "open_device", "process " + pid + " is gone");
        }
        replace(known, opened);
        return opened;
    }

    private static boolean canRead(ProcessMemory memory, long address) {
        return memory.read(address, PROBED.get(), 0, 1);
    }

    /** A thread with the number of a known process is its first thread: the number cannot have another meaning while the process exists. */
    private int processOf(int tid) {
        if (known(tid) != null) {
            return tid;
        }
        int pid = ProcessInfo.tgid(tid);
        if (pid < 0) {
            throw new VerbsException(Errno.ESRCH, "open_device", "thread " + tid + " is gone");
        }
        return pid;
    }

    private synchronized Client known(int pid) {
        return clients.get(pid);
    }

    private Client open(Supervisor supervisor, int pid) {
        PidFd descriptor = PidFd.open(pid);
        try {
            ProcessMemory memory = supervisor.memoryAccess().open(pid);
            return new Client(pid, descriptor, memory, supervisor, this);
        } catch (RuntimeException | Error refused) {
            descriptor.close();
            throw refused;
        }
    }

    private void replace(Client old, Client opened) {
        if (old != null) {
            end(old);
        }
        synchronized (this) {
            clients.put(opened.pid(), opened);
        }
        ends.onEnd(opened.descriptor.fd(), () -> end(opened));
    }

    /** Ends what a process leaves behind. Once or more often. */
    private void end(Client client) {
        client.end();
        synchronized (this) {
            if (clients.get(client.pid()) == client) {
                clients.remove(client.pid());
            }
        }
        for (OpenFiles.Entry each : files.of(client)) {
            if (each.file.lastCloseDescriptor() == DeviceFile.NONE) {
                close(each);
            }
        }
        closeIfUnused(client);
    }

    /** Ends all files of a supervisor's processes, whether or not they are still open. */
    void endAll(Supervisor supervisor) {
        List<Client> all;
        synchronized (this) {
            all = new ArrayList<>(clients.values());
        }
        for (Client client : all) {
            if (client.supervisor == supervisor) {
                for (OpenFiles.Entry each : files.of(client)) {
                    close(each);
                }
                end(client);
            }
        }
    }

    /** Watches for the last close of a file, as soon as it can be seen. */
    void watch(OpenFiles.Entry entry) {
        int descriptor = entry.file.lastCloseDescriptor();
        if (descriptor != DeviceFile.NONE && files.beginWatch(entry)) {
            ends.onLastClose(descriptor, () -> close(entry));
        }
    }

    /** Ends a file that may have ended already. */
    void close(DeviceFile file) {
        OpenFiles.Entry entry = files.find(file.identity());
        if (entry != null && entry.file == file) {
            close(entry);
        }
    }

    /** Ends a file. */
    void close(OpenFiles.Entry entry) {
        if (!files.take(entry)) {
            return;
        }
        int descriptor = entry.file.lastCloseDescriptor();
        if (descriptor != DeviceFile.NONE) {
            ends.forget(descriptor);
        }
        entry.owner.numbers.beginAnew();
        try {
            entry.file.closed();
        } finally {
            closeIfUnused(entry.owner);
        }
    }

    private void closeIfUnused(Client client) {
        if (client.hasEnded() && files.of(client).isEmpty()) {
            close(client);
        }
    }

    private void close(Client client) {
        if (client.beginClose()) {
            ends.forget(client.descriptor.fd());
            client.descriptor.close();
            client.memory().close();
        }
    }
}
