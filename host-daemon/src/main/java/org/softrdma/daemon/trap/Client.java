// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.softrdma.linux.process.PidFd;
import org.softrdma.linux.process.ProcessInfo;
import org.softrdma.linux.process.ProcessMemory;

/** A process with open files of ours. */
final class Client implements ClientProcess {
    /** Guarded by the monitor of {@link OpenFiles}. */
    final Set<OpenFiles.Entry> files = new HashSet<>();
    /** Numbers for its descriptors; the monitor is held from the choice of a number until the process has the descriptor. */
    final FreeNumbers numbers;
    final PidFd descriptor;
    /** The supervisor of the listener that its calls arrive at. */
    final Supervisor supervisor;
    private final int pid;
    private final String command;
    private final ProcessMemory memory;
    private final Processes processes;
    private final AtomicBoolean closing = new AtomicBoolean();
    private volatile boolean ended;

    Client(int pid, PidFd descriptor, ProcessMemory memory, Supervisor supervisor, Processes processes) {
        this.pid = pid;
        this.descriptor = descriptor;
        this.memory = memory;
        this.supervisor = supervisor;
        numbers = new FreeNumbers(supervisor.numbers());
        this.processes = processes;
        String name = ProcessInfo.comm(pid);
        command = name == null ? "" : name;
    }

    @Override
    public int pid() {
        return pid;
    }

    @Override
    public String command() {
        return command;
    }

    @Override
    public ProcessMemory memory() {
        return memory;
    }

    @Override
    public void end(DeviceFile file) {
        processes.close(file);
    }

    /** Whether the process has ended, or executed another program. */
    boolean hasEnded() {
        return ended;
    }

    void end() {
        ended = true;
    }

    /** Whether the caller is to close the descriptors: true once. Their numbers may belong to another process afterwards. */
    boolean beginClose() {
        return closing.compareAndSet(false, true);
    }
}
