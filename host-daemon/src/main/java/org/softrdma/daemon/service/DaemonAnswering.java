// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.service;

import java.util.List;
import java.util.function.Consumer;
import org.softrdma.linux.process.LocalSocket;
import org.softrdma.linux.process.ProcessMemory;
import org.softrdma.linux.process.SeccompListener;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Calls of a program are answered by the daemon, which receives the listener. */
public final class DaemonAnswering implements CallAnswering {
    /** A daemon that ends at this moment refuses; the next attempt starts a new one. */
    private static final int ATTEMPTS = 3;

    private final DaemonClient client;
    private final int arguments;
    private final List<String> forTheDaemon;
    private final Consumer<String> complaints;
    /** The first attempt. */
    private final DaemonClient.Connecting begun;
    private final DaemonMessage incoming = new DaemonMessage();
    private final DaemonMessage outgoing = new DaemonMessage();
    private volatile LocalSocket socket;
    private volatile boolean closed;

    /**
     * Connects, or begins to start the daemon, which takes longer than what this process has to do before {@link #answer}.
     *
     * @param arguments    number of the arguments of this process's main method
     * @param forTheDaemon arguments for the daemon if it must be started
     * @param complaints   receives one line if the daemon ends before the program
     * @throws VerbsException EIO: the daemon cannot be started
     */
    public DaemonAnswering(DaemonClient client, int arguments, List<String> forTheDaemon, Consumer<String> complaints) {
        this.client = client;
        this.arguments = arguments;
        this.forTheDaemon = forTheDaemon;
        this.complaints = complaints;
        begun = client.connectOrStart(arguments, forTheDaemon);
    }

    @Override
    public void answer(SeccompListener listener, long limit) {
        int[] numbers = {(int) limit, (int) (limit >>> Integer.SIZE)};
        for (int i = 0; i < ATTEMPTS; i++) {
            LocalSocket connected = (i == 0 ? begun : client.connectOrStart(arguments, forTheDaemon)).await();
            int answer = outgoing.send(connected, DaemonMessage.SERVE, numbers, PidNamespace.ofThisProcess(), listener.fd())
                ? incoming.receive(connected) : 0;
            if (answer == DaemonMessage.DONE) {
                socket = connected;
                // The daemon has the only one: when it ends, the kernel ends calls that wait.
                listener.close();
                Thread.ofPlatform().daemon().name("daemon-requests").start(this::serve);
                return;
            }
            connected.close();
            if (answer == DaemonMessage.REFUSED) {
                throw new VerbsException(Errno.EIO, "daemon", incoming.text());
            }
        }
        throw new VerbsException(Errno.EIO, "daemon", "the daemon ends again and again; its messages are in " + client.log());
    }

    private void serve() {
        try {
            int kind = incoming.receive(socket);
            while (kind != 0) {
                if (kind == DaemonMessage.MEMORY) {
                    passMemory(incoming.number(0));
                }
                kind = incoming.receive(socket);
            }
        } catch (VerbsException failed) {
            complain(failed.getMessage());
            return;
        }
        complain("the daemon has ended");
    }

    private void complain(String reason) {
        if (!closed) {
            complaints.accept(reason + "; the devices of the program are gone (messages: " + client.log() + ')');
        }
    }

    private void passMemory(int pid) {
        try (ProcessMemory memory = ProcessMemory.open(pid)) {
            outgoing.send(socket, DaemonMessage.MEMORY_OF, new int[] {pid}, "", memory.memoryFd(), memory.mapsFd());
        } catch (VerbsException refused) {
            outgoing.send(socket, DaemonMessage.MEMORY_OF, new int[] {pid}, "");
        }
    }

    @Override
    public void close() {
        closed = true;
        LocalSocket connected = socket;
        if (connected != null) {
            connected.close();
        } else {
            begun.close();
        }
    }
}
