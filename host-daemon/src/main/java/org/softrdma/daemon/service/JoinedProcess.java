// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.service;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.softrdma.daemon.trap.ClientProcess;
import org.softrdma.daemon.trap.DeviceFile;
import org.softrdma.daemon.verbs.UverbsDevice;
import org.softrdma.linux.process.LocalSocket;
import org.softrdma.linux.process.ProcessInfo;
import org.softrdma.linux.process.ProcessMemory;
import org.softrdma.linux.process.SeccompFilter;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * A Java program that has joined the daemon: the same files as C programs open, with the same commands, which come over its socket instead
 * of being trapped. Its files end with the connection. {@link #take} by one thread; the rest by any.
 */
final class JoinedProcess implements ClientProcess, AutoCloseable {
    /** Open files of one program at most, events included; EMFILE beyond. */
    static final int MAX_FILES = 16384;

    private static final System.Logger LOG = System.getLogger(JoinedProcess.class.getName());

    private final Adapter adapter;
    private final LocalSocket socket;
    private final int pid;
    private final String command;
    private final ProcessMemory memory;
    private final DaemonMessage outgoing = new DaemonMessage();
    /** Open files by number; guarded by the map itself. */
    private final Map<Integer, DeviceFile> files = new HashMap<>();
    private int lastNumber;
    private boolean closed;

    JoinedProcess(Adapter adapter, LocalSocket socket, int pid, ProcessMemory memory) {
        this.adapter = adapter;
        this.socket = socket;
        this.pid = pid;
        this.memory = memory;
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

    /** Executes a request; a call is answered now or later. */
    void take(int kind, DaemonMessage request) {
        try {
            switch (kind) {
                case DaemonMessage.DEVICES -> answer(0, devices());
                case DaemonMessage.ABOUT -> answer(0, about(request.text()));
                case DaemonMessage.OPEN -> answer(open(request.text()), "");
                case DaemonMessage.IOCTL -> call(request.number(0),
                    (file, call) -> file.ioctl(call, SeccompFilter.VERBS_IOCTL, request.longNumber(1)));
                case DaemonMessage.WRITE -> call(request.number(0),
                    (file, call) -> file.write(call, request.longNumber(1), Integer.toUnsignedLong(request.number(3))));
                case DaemonMessage.CLOSE -> {
                    end(open(request.number(0)));
                    answer(0, "");
                }
                default -> throw new AssertionError("request " + kind);
            }
        } catch (VerbsException refused) {
            refuse(refused);
        } catch (RuntimeException fault) {
            LOG.log(System.Logger.Level.ERROR, "a request of " + this + " failed here", fault);
            refuse(new VerbsException(Errno.EIO, "daemon", "the daemon failed; its log says why"));
        }
    }

    /** A call of the program on one of its files. */
    private interface FileCall {
        void run(DeviceFile file, JoinedCall call);
    }

    /** Executes a call, which has one answer, whatever happens. */
    private void call(int number, FileCall called) {
        DeviceFile file = open(number);
        JoinedCall call = new JoinedCall(this, number);
        try {
            called.run(file, call);
        } catch (VerbsException refused) {
            call.refuse(refused);
        } catch (RuntimeException fault) {
            LOG.log(System.Logger.Level.ERROR, "a call of " + this + " failed here", fault);
            call.refuse(new VerbsException(Errno.EIO, "daemon", "the daemon failed; its log says why"));
        }
    }

    private String devices() {
        StringBuilder lines = new StringBuilder();
        for (Map.Entry<String, UverbsDevice> each : adapter.devices().views().entrySet()) {
            UverbsDevice view = each.getValue();
            lines.append(new DaemonSession.Listed(each.getKey(), view.name(), view.index(), view.driverId(), view.device().nodeGuid(),
                view.device().nodeType(), view.device().transport(), view.device().netdev()).line()).append('\n');
        }
        return lines.toString();
    }

    private String about(String name) {
        UverbsDevice view = adapter.devices().views().get(name);
        if (view == null) {
            throw new VerbsException(Errno.ENODEV, "open_device", name + " has gone");
        }
        StringBuilder lines = new StringBuilder();
        lines.append(DaemonSession.FIRMWARE).append(' ').append(view.device().describe().device().fwVer()).append('\n');
        lines.append(DaemonSession.MAX_INLINE).append(' ').append(view.maxInlineData()).append('\n');
        view.counters().forEach((counter, value) ->
            lines.append(DaemonSession.COUNTER).append(counter).append(' ').append(value).append('\n'));
        return lines.toString();
    }

    private int open(String node) {
        DeviceFile opened = adapter.open(node, this);
        try {
            return give(opened);
        } catch (RuntimeException refused) {
            opened.closed();
            throw refused;
        }
    }

    private DeviceFile open(int number) {
        DeviceFile found = file(number);
        if (found == null) {
            // As every call of a C program on a device that was deleted.
            throw new VerbsException(Errno.EIO, "daemon",
                "file " + number + " has ended: its device was deleted, or the program has closed it");
        }
        return found;
    }

    /** Finds an open file; null if there is none. */
    DeviceFile file(int number) {
        synchronized (files) {
            return files.get(number);
        }
    }

    /**
     * Sends the program its copy of a file's descriptor.
     *
     * @return number of the file
     * @throws VerbsException EMFILE; ESRCH: the program has ended
     */
    int give(DeviceFile file) {
        int number = enter(file);
        boolean sent;
        synchronized (outgoing) {
            sent = outgoing.send(socket, DaemonMessage.GIVEN, new int[] {number}, "", file.descriptor());
        }
        if (!sent) {
            leave(file);
            throw new VerbsException(Errno.ESRCH, "open_device", "the program has ended");
        }
        file.given();
        return number;
    }

    private int enter(DeviceFile file) {
        synchronized (files) {
            if (closed || files.size() >= MAX_FILES) {
                throw new VerbsException(closed ? Errno.ESRCH : Errno.EMFILE, "open_device",
                    closed ? "the program has ended" : "the program has " + MAX_FILES + " files open");
            }
            do {
                lastNumber = lastNumber + 1 & Integer.MAX_VALUE;
            } while (files.containsKey(lastNumber));
            files.put(lastNumber, file);
            return lastNumber;
        }
    }

    private boolean leave(DeviceFile file) {
        synchronized (files) {
            return files.values().remove(file);
        }
    }

    @Override
    public void end(DeviceFile file) {
        if (leave(file)) {
            file.closed();
        }
    }

    void answer(long result, String text) {
        synchronized (outgoing) {
            outgoing.send(socket, DaemonMessage.RESULT, new int[] {(int) result, (int) (result >>> Integer.SIZE)}, text);
        }
    }

    void refuse(VerbsException reason) {
        String prefix = new VerbsException(reason.errno(), reason.verb(), "").getMessage();
        String message = reason.getMessage();
        answer(-reason.errno().value(), message.startsWith(prefix) ? message.substring(prefix.length()) : message);
    }

    /** Ends all files, contexts before their events, and then the memory. Once or more often. */
    @Override
    public void close() {
        List<DeviceFile> left;
        synchronized (files) {
            closed = true;
            left = new ArrayList<>(files.values());
        }
        left.sort((one, other) -> one.kind().compareTo(other.kind()));
        for (DeviceFile each : left) {
            try {
                end(each);
            } catch (RuntimeException fault) {
                LOG.log(System.Logger.Level.ERROR, "a file of " + this + " could not be closed", fault);
            }
        }
        memory.close();
    }

    @Override
    public String toString() {
        return pid + " (" + command + ')';
    }
}
