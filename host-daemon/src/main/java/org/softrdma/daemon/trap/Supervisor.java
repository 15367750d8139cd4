// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntUnaryOperator;
import org.softrdma.linux.process.EpollSet;
import org.softrdma.linux.process.FileIdentity;
import org.softrdma.linux.process.Notification;
import org.softrdma.linux.process.ProcessInfo;
import org.softrdma.linux.process.SeccompListener;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * Answers the trapped calls of the programs under one filter, with two threads: while one executes a call, the other receives the next one.
 * Calls that are none of ours, nearly all, are let through by the thread that receives them.
 *
 * <p>Ends when the last program under the filter has ended, or when it is closed.
 */
public final class Supervisor implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Supervisor.class.getName());
    private static final int THREADS = 2;
    private static final long LISTENER = 0;

    private final SeccompListener listener;
    private final DescriptorNumbers numbers;
    private final MemoryAccess memoryAccess;
    private final ProgramFiles programs;
    private final Runnable onEnd;
    private final EpollSet waiting = new EpollSet();
    private final ReentrantLock receiving = new ReentrantLock();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean closed;
    private volatile boolean detached;
    /** Written with {@link #receiving} held. */
    private volatile boolean ended;

    /** Memory of one thread for its calls. */
    private static final class Worker {
        private final Notification notification = new Notification();
        private final SystemCalls calls;

        Worker(Supervisor supervisor, ProgramFiles programs) {
            calls = new SystemCalls(supervisor, programs);
        }
    }

    /** The identity that a thread reads into. */
    private final ThreadLocal<FileIdentity> identities = ThreadLocal.withInitial(FileIdentity::new);

    Supervisor(SeccompListener listener, DescriptorNumbers numbers, MemoryAccess memoryAccess, ProgramFiles programs, Runnable onEnd) {
        this.listener = listener;
        this.numbers = numbers;
        this.memoryAccess = memoryAccess;
        this.programs = programs;
        this.onEnd = onEnd;
        waiting.add(listener.fd(), EpollSet.READABLE, LISTENER);
        for (int i = 0; i < THREADS; i++) {
            threads.add(Thread.ofPlatform().daemon().name("softrdma-calls-" + i).start(this::serve));
        }
    }

    private void serve() {
        Worker worker = new Worker(this, programs);
        try {
            while (receive(worker)) {
                execute(worker);
            }
        } catch (RuntimeException | Error failed) {
            LOG.log(System.Logger.Level.ERROR, "calls of programs are no longer answered", failed);
            closed = true;
        }
    }

    /**
     * Receives calls and lets them through, up to the first that may be ours.
     *
     * @return false at the end
     */
    private boolean receive(Worker worker) {
        boolean last = false;
        receiving.lock();
        try {
            while (!closed && !ended) {
                if (waiting.await(-1) == 0) {
                    continue;
                }
                if ((waiting.events(0) & EpollSet.READABLE) == 0) {
                    ended = true;
                    last = true;
                } else if (listener.receive(worker.notification) == 1 && !worker.calls.passOver(worker.notification)) {
                    return true;
                }
            }
        } finally {
            receiving.unlock();
        }
        if (last) {
            onEnd.run();
        }
        return false;
    }

    private void execute(Worker worker) {
        Notification notification = worker.notification;
        long id = notification.id();
        try {
            worker.calls.execute(notification);
        } catch (VerbsException refused) {
            listener.fail(id, refused.errno().value());
        } catch (RuntimeException | Error failed) {
            LOG.log(System.Logger.Level.ERROR, "a call of thread " + notification.tid() + " was not executed", failed);
            listener.fail(id, Errno.EIO.value());
        }
    }

    MemoryAccess memoryAccess() {
        return memoryAccess;
    }

    SignalWatch signals() {
        return programs.signals();
    }

    DescriptorNumbers numbers() {
        return numbers;
    }

    /** Whether the processes under this filter may open devices. */
    public boolean isAttached() {
        return !detached;
    }

    boolean isValid(long id) {
        return listener.isValid(id);
    }

    /** Answers with a result, or an error if it is negative. */
    boolean answer(long id, long result) {
        return result < 0 ? listener.fail(id, (int) -result) : listener.answer(id, result);
    }

    boolean resume(long id) {
        return listener.resume(id);
    }

    /** Answers with a copy of a descriptor of any number. */
    int answerWithDescriptor(long id, int descriptor, boolean closeOnExec) {
        return listener.answerWithDescriptor(id, descriptor, SeccompListener.ANY_NUMBER, closeOnExec);
    }

    /** Answers with a copy of a descriptor of a certain number. */
    int answerWithNumber(long id, int descriptor, int number, boolean closeOnExec) {
        return listener.answerWithDescriptor(id, descriptor, number, closeOnExec);
    }

    /** Finds the file that a descriptor of a thread means; null if it is not ours. */
    OpenFiles.Entry entry(int tid, int descriptor) {
        FileIdentity identity = identities.get();
        return ProcessInfo.identify(tid, descriptor, identity) ? programs.files().find(identity) : null;
    }

    /**
     * Finds the process of a thread that waits for an answer.
     *
     * @param probe an address that the process can read
     * @throws VerbsException as {@link Processes#of}
     */
    Client client(Notification call, long probe) {
        return programs.processes().of(this, call.tid(), call.id(), probe);
    }

    /**
     * Gives a program a copy of a file's descriptor, without answering the call.
     *
     * @return its number
     * @throws VerbsException EMFILE, ESRCH
     */
    int give(DeviceFile file, Client client, long id, int tid) {
        return give(file, null, client, tid, number -> listener.addDescriptor(id, file.descriptor(), number, true));
    }

    /**
     * Answers a program's open with a descriptor of a file.
     *
     * @throws VerbsException EMFILE, ESRCH: the file has ended
     */
    void answerOpen(DeviceFile file, DeviceNode node, Client client, Notification call, boolean closeOnExec) {
        give(file, node, client, call.tid(), number -> listener.answerWithDescriptor(call.id(), file.descriptor(), number, closeOnExec));
    }

    /** Enters a file and gives the program a descriptor of it: {@code copy} makes one of a certain number. The file ends if that fails. */
    private int give(DeviceFile file, DeviceNode node, Client client, int tid, IntUnaryOperator copy) {
        OpenFiles.Entry entry = programs.files().add(file, node, client);
        try {
            int number;
            synchronized (client.numbers) {
                number = copy.applyAsInt(client.numbers.next(file.kind(), tid));
                check(number);
                file.given();
            }
            programs.processes().watch(entry);
            return number;
        } catch (RuntimeException | Error failed) {
            programs.processes().close(entry);
            throw failed;
        }
    }

    /**
     * Answers with another copy of a file that the program has. Called with the lock of its owner's numbers held.
     *
     * @param descriptor in this process
     * @param lowest     number of the copy
     */
    void answerCopy(OpenFiles.Entry entry, int descriptor, long id, int tid, int lowest, boolean closeOnExec) {
        int number = entry.owner.numbers.atLeast(entry.file.kind(), tid, lowest);
        check(listener.answerWithDescriptor(id, descriptor, number, closeOnExec));
    }

    private static void check(int result) {
        if (result < 0) {
            boolean full = result == -Errno.EMFILE.value() || result == -Errno.EBADF.value();
            throw new VerbsException(full ? Errno.EMFILE : Errno.ESRCH, "open_device",
                full ? "the program may not open more files (ulimit -n)" : "the program no longer waits");
        }
    }

    /**
     * Ends the files of all processes under the filter, and refuses to open more. Other calls go on: processes that stay behind can do
     * everything else.
     */
    public void detach() {
        detached = true;
        programs.processes().endAll(this);
    }

    /** Whether the last program under the filter has ended. */
    public boolean hasEnded() {
        return ended;
    }

    /** Closes the listener: calls of programs that would be trapped fail with ENOSYS from now on. */
    @Override
    public void close() {
        closed = true;
        waiting.wakeUp();
        for (Thread each : threads) {
            join(each);
        }
        detach();
        waiting.remove(listener.fd());
        waiting.close();
        listener.close();
    }

    private static void join(Thread thread) {
        if (thread == Thread.currentThread()) {
            return;
        }
        try {
            thread.join();
        } catch (InterruptedException later) {
            Thread.currentThread().interrupt();
        }
    }
}
