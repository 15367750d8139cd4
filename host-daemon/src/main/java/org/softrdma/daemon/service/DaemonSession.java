// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.service;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.softrdma.host.config.StateDirectory;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.linux.process.LocalSocket;
import org.softrdma.linux.process.ProcessMemory;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.NodeType;
import org.softrdma.verbs.Transport;
import org.softrdma.verbs.VerbsException;

/**
 * This process as a program of the user's daemon: its files of the daemon's devices, and calls on them. A call names memory of this process
 * by address, which the daemon reads and writes. Calls are executed one after the other. Any thread.
 */
public final class DaemonSession implements AutoCloseable {
    static final String FIRMWARE = "fw_ver";
    static final String MAX_INLINE = "max_inline_data";
    /** Before the name of a counter. */
    static final String COUNTER = "counter.";

    /** The process's session; null before the first, and a closed one after the daemon has ended. Guarded by the class. */
    private static DaemonSession shared;

    private final LocalSocket socket;
    private final DaemonMessage incoming = new DaemonMessage();
    private final DaemonMessage outgoing = new DaemonMessage();
    /** Descriptors that came with files and were not taken yet, by the files' numbers. */
    private final Map<Integer, Integer> descriptors = new HashMap<>();
    private volatile boolean ended;

    /**
     * A device of the daemon.
     *
     * @param name     the user's name for it
     * @param node     its file below {@code /dev/infiniband}
     * @param index    position among the devices, from 0
     * @param driverId {@code enum rdma_driver_id}
     * @param netdev   its network interface
     */
    public record Listed(String name, String node, int index, int driverId, long nodeGuid, NodeType nodeType, Transport transport,
                         String netdev) {
        private static final String SEPARATOR = " ";
        private static final int FIELDS = 8;

        String line() {
            return String.join(SEPARATOR, name, node, Integer.toString(index), Integer.toString(driverId), Long.toHexString(nodeGuid),
                nodeType.name(), transport.name(), netdev);
        }

        static Listed of(String line) {
            String[] fields = line.split(SEPARATOR, FIELDS);
            if (fields.length < FIELDS) {
                throw new VerbsException(Errno.EPROTO, "get_device_list", "the daemon's list has the line \"" + line + '"');
            }
            return new Listed(fields[0], fields[1], Integer.parseInt(fields[2]), Integer.parseInt(fields[3]),
                Long.parseUnsignedLong(fields[4], 16), NodeType.valueOf(fields[5]), Transport.valueOf(fields[6]), fields[7]);
        }
    }

    /**
     * Description of a device, besides the answers to verbs.
     *
     * @param maxInlineData bytes
     * @param counters      by name
     */
    public record About(String firmware, int maxInlineData, Map<String, Long> counters) {
        static About of(String text) {
            String firmware = "";
            int maxInline = 0;
            Map<String, Long> counters = new HashMap<>();
            for (String line : wholeLines(text)) {
                int blank = line.indexOf(' ');
                String key = blank < 0 ? line : line.substring(0, blank);
                String value = blank < 0 ? "" : line.substring(blank + 1);
                if (key.equals(FIRMWARE)) {
                    firmware = value;
                } else if (key.equals(MAX_INLINE)) {
                    maxInline = Integer.parseInt(value);
                } else if (key.startsWith(COUNTER)) {
                    counters.put(key.substring(COUNTER.length()), Long.parseLong(value));
                }
            }
            return new About(firmware, maxInline, counters);
        }
    }

    private DaemonSession(LocalSocket socket) {
        this.socket = socket;
    }

    /**
     * Returns the session of this process with the user's daemon, which lasts until either ends.
     *
     * @throws VerbsException ENODEV: no daemon runs; EACCES: it refuses
     */
    public static DaemonSession ofThisProcess() {
        synchronized (DaemonSession.class) {
            if (shared == null || shared.ended) {
                shared = join(StateDirectory.ofUser());
            }
            return shared;
        }
    }

    /**
     * Joins a daemon.
     *
     * @param state its state directory
     * @throws VerbsException as {@link #ofThisProcess}
     */
    static DaemonSession join(Path state) {
        LocalSocket socket = new DaemonClient(state).connect();
        if (socket == null) {
            throw new VerbsException(Errno.ENODEV, "get_device_list",
                "no daemon of this user runs in this network namespace; start it with `softrdma daemon start`");
        }
        DaemonSession session = new DaemonSession(socket);
        try (ProcessMemory own = ProcessMemory.open((int) ProcessHandle.current().pid())) {
            session.join(own);
            return session;
        } catch (RuntimeException refused) {
            session.close();
            throw refused;
        }
    }

    private synchronized void join(ProcessMemory own) {
        boolean sent =
            outgoing.send(socket, DaemonMessage.JOIN, new int[0], PidNamespace.ofThisProcess(), own.memoryFd(), own.mapsFd());
        int kind = sent ? incoming.receive(socket) : 0;
        if (kind != DaemonMessage.DONE) {
            throw new VerbsException(Errno.EACCES, "get_device_list", kind == DaemonMessage.REFUSED ? incoming.text()
                : "the daemon is of another release; restart it with `softrdma daemon stop` and `softrdma daemon start`");
        }
    }

    /** Returns whether the daemon has ended. */
    public boolean hasEnded() {
        return ended;
    }

    /** Returns the daemon's devices. */
    public synchronized List<Listed> devices() {
        call("get_device_list", DaemonMessage.DEVICES, "");
        List<Listed> devices = new ArrayList<>();
        wholeLines(incoming.text()).forEach(line -> devices.add(Listed.of(line)));
        return devices;
    }

    /** Returns the lines of a text; a message has room for so many, and the last one may be cut off. */
    private static List<String> wholeLines(String text) {
        return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
    }

    /**
     * Describes a device.
     *
     * @param device the user's name for it
     * @throws VerbsException ENODEV
     */
    public synchronized About about(String device) {
        call("query_device", DaemonMessage.ABOUT, device);
        return About.of(incoming.text());
    }

    /**
     * Opens a device file.
     *
     * @return its number
     */
    public synchronized int open(String node) {
        return (int) call("open_device", DaemonMessage.OPEN, node);
    }

    /**
     * Takes this process's copy of a file that was opened, or that a call has given.
     *
     * @throws VerbsException EBADF: there is none
     */
    public synchronized int takeDescriptor(int number) {
        Integer descriptor = descriptors.remove(number);
        if (descriptor == null) {
            throw new VerbsException(Errno.EBADF, "open_device", "the daemon has sent no descriptor of file " + number);
        }
        return descriptor;
    }

    /**
     * Executes an ioctl of verbs.
     *
     * @param verb     for the exception
     * @param file     number of the device's file
     * @param argument address in this process
     * @throws VerbsException the device's errno and its reason; EIO: the daemon has ended
     */
    public synchronized void ioctl(String verb, int file, long argument) {
        call(verb, DaemonMessage.IOCTL, "", file, (int) argument, (int) (argument >>> Integer.SIZE));
    }

    /**
     * Executes a command of the connection manager.
     *
     * @param bytes length of the command at {@code address}
     * @throws VerbsException as {@link #ioctl}; EAGAIN: there is no event
     */
    public synchronized void write(String verb, int file, long address, int bytes) {
        call(verb, DaemonMessage.WRITE, "", file, (int) address, (int) (address >>> Integer.SIZE), bytes);
    }

    /** Closes a file. No effect after the daemon has ended. */
    public synchronized void close(int file) {
        if (!ended) {
            call("close", DaemonMessage.CLOSE, "", file);
        }
    }

    private long call(String verb, int kind, String text, int... numbers) {
        if (ended || !outgoing.send(socket, kind, numbers, text)) {
            throw gone(verb);
        }
        while (true) {
            int answer = incoming.receive(socket);
            if (answer == DaemonMessage.GIVEN) {
                keep(incoming.number(0), socket.receivedDescriptors());
            } else if (answer == DaemonMessage.RESULT) {
                return result(verb, incoming.longNumber(0));
            } else if (answer == DaemonMessage.REFUSED) {
                throw new VerbsException(Errno.EPROTO, verb, incoming.text());
            } else {
                throw gone(verb);
            }
        }
    }

    private void keep(int number, int[] received) {
        for (int each : received) {
            Integer before = descriptors.put(number, each);
            if (before != null) {
                LinuxSockets.close(before);
            }
        }
    }

    private long result(String verb, long result) {
        if (result < 0) {
            Errno errno = Errno.of((int) -result);
            throw new VerbsException(errno == null ? Errno.EIO : errno, verb, incoming.text());
        }
        return result;
    }

    private VerbsException gone(String verb) {
        close();
        return new VerbsException(Errno.EIO, verb, "the daemon has ended; its devices are gone");
    }

    /** Leaves the daemon, which ends all files. */
    @Override
    public void close() {
        ended = true;
        socket.close();
    }
}
