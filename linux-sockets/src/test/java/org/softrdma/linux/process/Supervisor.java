// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static org.junit.jupiter.api.Assumptions.abort;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** A program under a filter, and threads that answer its calls as a test decides. */
final class Supervisor implements AutoCloseable {
    private static final int DEVICES = 900;
    private static final DescriptorRange CM = new DescriptorRange(960, 1020);
    private static final DescriptorRange NETLINK = new DescriptorRange(890, 900);

    /** Answer to a notification; one that returns false lets the kernel execute the call. */
    interface Handler {
        boolean handle(Notification call, SeccompListener listener, String path);
    }

    final SeccompListener listener;
    final AtomicInteger notifications = new AtomicInteger();
    private final FilteredLaunch launch;
    private final Handler handler;
    private final EpollSet set = new EpollSet();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean ended;
    private volatile Throwable failure;

    Supervisor(boolean killableOnly, Handler handler, String... command) {
        this(killableOnly, handler, ProcessSpawn.prepare(Commands.bytes(command), Map.of()));
    }

    Supervisor(boolean killableOnly, Handler handler, ProcessSpawn program) {
        this.handler = handler;
        launch = launch(program, killableOnly);
        listener = launch.listener();
        set.add(listener.fd(), EpollSet.READABLE, 0);
        threads.add(Thread.ofPlatform().daemon().start(this::serve));
    }

    static SeccompFilter filter() {
        return new SeccompFilter(Architecture.current(), DEVICES, List.of(CM), NETLINK);
    }

    /** Skips the test where this host refuses filters with a listener. */
    static FilteredLaunch launch(ProcessSpawn program, boolean killableOnly) {
        try {
            return new FilteredLaunch(filter(), program, killableOnly);
        } catch (VerbsException refused) {
            if (refused.errno() == Errno.EINVAL) {
                throw refused;
            }
            return abort("no listener is possible here: " + refused.getMessage());
        }
    }

    int start() {
        return launch.start();
    }

    private void serve() {
        Notification call = new Notification();
        try {
            while (!ended) {
                if (set.await(-1) == 0) {
                    continue;
                }
                if ((set.events(0) & EpollSet.HANG_UP) != 0) {
                    ended = true;
                } else if (listener.receive(call) == 1) {
                    notifications.incrementAndGet();
                    answer(call);
                }
            }
        } catch (Throwable thrown) {
            failure = thrown;
            listener.close();
        }
    }

    private void answer(Notification call) {
        if (!handler.handle(call, listener, path(call))) {
            listener.resume(call.id());
        }
    }

    /** The path of a call that has one, else null. */
    private String path(Notification call) {
        int argument = switch (Architecture.current().call(call.number())) {
            case OPEN, STAT, LSTAT, ACCESS -> 0;
            case OPENAT, OPENAT2, NEWFSTATAT, STATX, FACCESSAT, FACCESSAT2 -> 1;
            default -> -1;
        };
        if (argument < 0) {
            return null;
        }
        try (ProcessMemory memory = ProcessMemory.open(ProcessInfo.tgid(call.tid()))) {
            return listener.isValid(call.id()) ? memory.readString(call.argument(argument), 4096) : null;
        } catch (VerbsException gone) {
            return null;
        }
    }

    /** Whether all processes under the filter have ended. */
    boolean hasEnded() {
        return ended;
    }

    @Override
    public void close() {
        ended = true;
        set.close();
        launch.close();
        listener.close();
        if (failure != null) {
            throw new AssertionError("the supervisor failed", failure);
        }
    }
}
