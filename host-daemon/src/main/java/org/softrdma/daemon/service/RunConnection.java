// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.service;

import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import org.softrdma.daemon.trap.DescriptorNumbers;
import org.softrdma.daemon.trap.MemoryAccess;
import org.softrdma.daemon.trap.Supervisor;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.linux.process.LocalSocket;
import org.softrdma.linux.process.ProcessInfo;
import org.softrdma.linux.process.ProcessMemory;
import org.softrdma.linux.process.SeccompListener;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * The daemon's end of a connection. Usually it is that of one {@code run}: its listener, and the memory of its programs, which {@code run}
 * opens as their parent where the daemon may not (Yama). A Java program that joins has one, too. The programs' files end with the
 * connection.
 */
final class RunConnection implements MemoryAccess {
    private static final System.Logger LOG = System.getLogger(RunConnection.class.getName());
    private static final long PATIENCE_NS = 2_000_000_000L;
    private static final ProcessMemory NONE = null;

    private final DaemonServer server;
    private final LocalSocket socket;
    private final DaemonMessage incoming = new DaemonMessage();
    private final DaemonMessage outgoing = new DaemonMessage();
    private final Object requests = new Object();
    private final SynchronousQueue<MemoryOf> answers = new SynchronousQueue<>();
    private final int pid;
    private volatile Supervisor supervisor;
    /** A Java program at the other end; null for a {@code run}. */
    private volatile JoinedProcess joined;
    private boolean finished;

    /** Descriptors of a process's memory, or none. */
    private record MemoryOf(int program, int[] descriptors) {
        void close() {
            closeAll(descriptors);
        }
    }

    RunConnection(DaemonServer server, LocalSocket socket) {
        this.server = server;
        this.socket = socket;
        pid = socket.peer().pid();
    }

    /** Serves the connection until it ends. */
    void serve() {
        try {
            if (socket.peer().uid() != ProcessInfo.ownUid()) {
                reply(DaemonMessage.REFUSED, "this is the daemon of another user");
                return;
            }
            int kind = incoming.receive(socket);
            while (kind != 0) {
                take(kind);
                kind = incoming.receive(socket);
            }
        } catch (VerbsException failed) {
            LOG.log(System.Logger.Level.WARNING, "connection of process " + pid + ": " + failed.getMessage());
        } finally {
            end();
        }
    }

    /** Returns whether programs came over this connection; questions about the daemon do not keep it running. */
    boolean hasServedPrograms() {
        return supervisor != null || joined != null;
    }

    private void take(int kind) {
        int[] descriptors = socket.receivedDescriptors();
        switch (kind) {
            case DaemonMessage.SERVE -> attach(descriptors);
            case DaemonMessage.MEMORY_OF -> pass(new MemoryOf(incoming.number(0), descriptors));
            case DaemonMessage.JOIN -> join(descriptors);
            case DaemonMessage.DEVICES, DaemonMessage.ABOUT, DaemonMessage.OPEN, DaemonMessage.IOCTL, DaemonMessage.WRITE,
                DaemonMessage.CLOSE -> takeJoined(kind, descriptors);
            case DaemonMessage.STATUS -> reply(DaemonMessage.DONE, server.status());
            case DaemonMessage.STOP -> {
                reply(DaemonMessage.DONE, "");
                server.stop();
            }
            default -> {
                closeAll(descriptors);
                reply(DaemonMessage.REFUSED, "the daemon does not know request " + kind + "; restart it with `softrdma daemon stop`");
            }
        }
    }

    /** Passes an answer to the thread that waits for one. */
    private void pass(MemoryOf answer) {
        boolean taken = false;
        try {
            taken = answers.offer(answer, PATIENCE_NS, TimeUnit.NANOSECONDS);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
        if (!taken) {
            answer.close();
        }
    }

    private void attach(int[] descriptors) {
        if (descriptors.length != 1 || supervisor != null) {
            closeAll(descriptors);
            reply(DaemonMessage.REFUSED, "a listener is needed, once");
            return;
        }
        if (!incoming.text().equals(PidNamespace.ofThisProcess())) {
            closeAll(descriptors);
            reply(DaemonMessage.REFUSED, "the daemon of this user is in another PID namespace and cannot see this process; use --private");
            return;
        }
        try {
            DescriptorNumbers numbers = DescriptorNumbers.of(incoming.longNumber(0));
            supervisor = server.adapter().serve(new SeccompListener(descriptors[0]), numbers, this, this::onLastProgram);
        } catch (VerbsException refused) {
            reply(DaemonMessage.REFUSED, refused.getMessage());
            return;
        }
        reply(DaemonMessage.DONE, "");
    }

    private void join(int[] descriptors) {
        if (descriptors.length != 2 || supervisor != null || joined != null) {
            closeAll(descriptors);
            reply(DaemonMessage.REFUSED, "the descriptors of a program's memory are needed, once");
            return;
        }
        if (!incoming.text().equals(PidNamespace.ofThisProcess())) {
            closeAll(descriptors);
            reply(DaemonMessage.REFUSED, "the daemon of this user is in another PID namespace");
            return;
        }
        joined = new JoinedProcess(server.adapter(), socket, pid,
            new ProcessMemory(descriptors[0], descriptors[1], pid));
        reply(DaemonMessage.DONE, "");
    }

    private void takeJoined(int kind, int[] descriptors) {
        closeAll(descriptors);
        if (joined == null) {
            reply(DaemonMessage.REFUSED, "the program has not joined");
            return;
        }
        joined.take(kind, incoming);
    }

    private void reply(int kind, String text) {
        synchronized (outgoing) {
            outgoing.send(socket, kind, new int[0], text);
        }
    }

    /** Opens the memory here, or has the parent of the programs open it. */
    @Override
    public ProcessMemory open(int program) {
        try {
            return ProcessMemory.open(program);
        } catch (VerbsException refused) {
            if (refused.errno() != Errno.EACCES && refused.errno() != Errno.EPERM) {
                throw refused;
            }
            ProcessMemory opened = request(program);
            if (opened == NONE) {
                throw refused;
            }
            return opened;
        }
    }

    private ProcessMemory request(int program) {
        synchronized (requests) {
            synchronized (outgoing) {
                if (!outgoing.send(socket, DaemonMessage.MEMORY, new int[] {program}, "")) {
                    return NONE;
                }
            }
            try {
                return await(program);
            } catch (InterruptedException stopping) {
                Thread.currentThread().interrupt();
                return NONE;
            }
        }
    }

    /** Waits for the answer about a process. One about another process came too late for its request. */
    private ProcessMemory await(int program) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE_NS;
        MemoryOf answer = answers.poll(PATIENCE_NS, TimeUnit.NANOSECONDS);
        while (answer != null && answer.program() != program) {
            answer.close();
            answer = answers.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        }
        if (answer == null) {
            return NONE;
        }
        if (answer.descriptors().length != 2) {
            answer.close();
            return NONE;
        }
        return new ProcessMemory(answer.descriptors()[0], answer.descriptors()[1]);
    }

    private static void closeAll(int[] descriptors) {
        for (int each : descriptors) {
            LinuxSockets.close(each);
        }
    }

    /** Called by a thread of the supervisor, which cannot close it. */
    private void onLastProgram() {
        Thread.ofPlatform().daemon().name("softrdma-last-program").start(this::closeSupervisor);
    }

    /** Ends the programs' files; processes that outlive their run can still do everything else. */
    private void end() {
        socket.close();
        if (joined != null) {
            joined.close();
        }
        if (supervisor != null) {
            supervisor.detach();
        }
        if (supervisor == null || supervisor.hasEnded()) {
            closeSupervisor();
        }
    }

    private synchronized void closeSupervisor() {
        if (finished) {
            return;
        }
        finished = true;
        if (supervisor != null) {
            supervisor.close();
        }
        server.forget(this);
    }

    /** Ends everything, because the daemon ends. */
    void close() {
        socket.close();
        if (joined != null) {
            joined.close();
        }
        closeSupervisor();
    }

    /** Returns a line for {@code daemon status}; null without a program. */
    String description() {
        if (joined != null) {
            return "  program " + joined;
        }
        return supervisor == null ? null : "  run " + pid + (supervisor.isAttached() ? "" : " (ended; processes of it go on)");
    }
}
