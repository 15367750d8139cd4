// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import java.lang.foreign.Arena;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.softrdma.abi.uverbs.IoctlBundle;
import org.softrdma.daemon.rings.LostPages;
import org.softrdma.daemon.rings.RingDoor;
import org.softrdma.daemon.rings.RingSpace;
import org.softrdma.daemon.trap.ClientProcess;
import org.softrdma.daemon.trap.DeviceFile;
import org.softrdma.daemon.trap.HeapRoom;
import org.softrdma.daemon.trap.TrappedCall;
import org.softrdma.device.verbs.SoftContext;
import org.softrdma.linux.process.FileIdentity;
import org.softrdma.linux.process.SharedFile;
import org.softrdma.verbs.AsyncEvent;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * One open of a device file by a program: a context of the device, the file that its rings lie in, and its objects by handle. Calls of
 * several threads of the program are executed one after the other.
 *
 * <p>The file has rings from offset 0 and behind them the area that the program's doorbells are written to: they carry nothing. While no
 * queue pair may send, the file position is where every write fails with EINVAL.
 */
public final class UverbsFile implements DeviceFile {
    /** Bytes for the rings of one context; ENOMEM beyond. They take memory when they are used. */
    public static final long RING_BYTES = 1L << 30;
    /** Bytes behind the rings, for doorbells: one that is rung takes 32 bytes until the device has looked. */
    static final long BELL_BYTES = 1L << 26;
    /** File position that a write of any length would carry beyond the greatest one: it fails with EINVAL. */
    private static final long NO_BELLS = Long.MAX_VALUE;
    /** Event files of one context at most; EMFILE beyond. */
    static final int MAX_EVENT_FILES = 4096;

    private static final System.Logger LOG = System.getLogger(UverbsFile.class.getName());

    private final UverbsDevice device;
    private final int number;
    private final ClientProcess process;
    private final SoftContext context;
    private final SharedFile shared;
    private final Arena mapping = Arena.ofShared();
    private final RingSpace rings;
    private final ContextObjects objects;
    private final ReentrantLock lock = new ReentrantLock();
    private final UverbsCall call = new UverbsCall();
    private final HandleTable handles = new HandleTable();
    /** Objects that raise events: completion queues, shared receive queues and queue pairs of the device. Any thread. */
    private final Map<Object, EventCookie> listening = new ConcurrentHashMap<>();
    /** Queue pairs by number. */
    private final Map<Integer, HeldQp> queuePairs = new ConcurrentHashMap<>();
    private final Set<EventFile> eventFiles = ConcurrentHashMap.newKeySet();
    private final int watch;
    /** The first file of asynchronous events, which also receives those of the port and the device; null before there is one. */
    private volatile AsyncEventFile asyncEvents;
    /** Queue pairs that may send. Accessed with the owner's lock held. */
    private int sending;
    /** GET_CONTEXT was called. */
    private boolean hasContext;
    private boolean closed;

    /**
     * Opens the device for a program.
     *
     * @param number unique among the open files of the device
     * @throws VerbsException the device cannot be opened; EMFILE; ENOMEM
     */
    UverbsFile(UverbsDevice device, int number, ClientProcess process, SoftContext context) {
        this.device = device;
        this.number = number;
        this.process = process;
        this.context = context;
        HeapRoom.require("open_device");
        objects = new ContextObjects(context.agent().lock());
        shared = new SharedFile(device.name(), RING_BYTES + BELL_BYTES);
        try {
            rings = new RingSpace(shared.map(0, RING_BYTES, mapping));
            context.agent().lock().lock();
            try {
                rewind();
            } finally {
                context.agent().lock().unlock();
            }
            watch = device.bells().add(this);
        } catch (RuntimeException | Error refused) {
            shared.close();
            mapping.close();
            throw refused;
        }
        context.deliverEventsTo(this::onAsyncEvent);
    }

    @Override
    public Kind kind() {
        return Kind.VERBS;
    }

    @Override
    public int descriptor() {
        return shared.fd();
    }

    @Override
    public FileIdentity identity() {
        return shared.identity();
    }

    @Override
    public void ioctl(TrappedCall trapped, int command, long argument) {
        VerbsException refusal;
        lock.lock();
        try {
            refusal = execute(trapped, argument);
        } finally {
            call.end();
            lock.unlock();
        }
        if (refusal == null) {
            trapped.answer(0);
        } else {
            trapped.refuse(refusal);
        }
    }

    /** Returns null, or why the call is refused. */
    private VerbsException execute(TrappedCall trapped, long argument) {
        try {
            if (closed) {
                return new VerbsException(Errno.EIO, "ioctl", "the context has ended");
            }
            call.begin(trapped, argument);
            IoctlBundle bundle = call.bundle();
            if (bundle.driverId() != driver().id()) {
                return Refusals.invalid("driver " + bundle.driverId());
            }
            Method method = Methods.find(bundle.object(), bundle.method());
            call.check(method);
            method.handler().run(this, call);
            LostPages.raise();
            return null;
        } catch (VerbsException refused) {
            LOG.log(System.Logger.Level.DEBUG, () -> "pid " + process.pid() + ": " + refused.getMessage());
            return refused;
        } catch (OutOfMemoryError | InternalError noMemory) {
            // An InternalError is an access to a page of a ring for which the host has no memory.
            LOG.log(System.Logger.Level.WARNING, "no memory for a call of pid " + process.pid(), noMemory);
            return new VerbsException(Errno.ENOMEM, "ioctl", "the daemon has no memory for it", noMemory);
        } catch (RuntimeException fault) {
            LOG.log(System.Logger.Level.ERROR, "a call of pid " + process.pid() + " (" + process.command() + ") failed here", fault);
            return new VerbsException(Errno.EIO, "ioctl", "the daemon failed; its log says why", fault);
        }
    }

    /**
     * Requires that the program has made the file a context.
     *
     * @throws VerbsException EINVAL
     */
    void requireContext() {
        if (!hasContext) {
            throw Refusals.invalid("no context yet");
        }
    }

    /** Makes the file a context, once. */
    void beginContext() {
        if (hasContext) {
            throw Refusals.invalid("the context exists");
        }
        hasContext = true;
    }

    UverbsDevice device() {
        return device;
    }

    LibraryDriver driver() {
        return device.driver();
    }

    /** Number of the file, for {@link RingDoor}. */
    int number() {
        return number;
    }

    /** Returns the process that opened the file. */
    public ClientProcess process() {
        return process;
    }

    /** Returns the context of the device. */
    public SoftContext context() {
        return context;
    }

    ReentrantLock owner() {
        return context.agent().lock();
    }

    RingSpace rings() {
        return rings;
    }

    RingDoor door() {
        return device.door();
    }

    ContextObjects objects() {
        return objects;
    }

    HandleTable handles() {
        return handles;
    }

    SharedFile shared() {
        return shared;
    }

    /** Returns the watch of the file, for {@link DeviceBells}. */
    int watch() {
        return watch;
    }

    /** Moves the place of the next doorbell back to where doorbells begin, or to where they fail. With the owner's lock held. */
    void rewind() {
        shared.seek(sending > 0 || !driver().refusesEarlyBells() ? RING_BYTES : NO_BELLS);
    }

    /** Counts queue pairs that may send, as {@link #rewind} uses it. With the owner's lock held. */
    void countSending(int change) {
        sending += change;
        rewind();
    }

    /**
     * Finds an object that a method of the ioctl names.
     *
     * @throws VerbsException ENOENT: no such handle; EINVAL: an object of another kind
     */
    <T extends HeldObject> T object(long handle, Class<T> type) {
        requireContext();
        HeldObject found = handles.find(handle);
        if (found == null) {
            throw new VerbsException(Errno.ENOENT, "ioctl", "no object has handle " + handle);
        }
        if (!type.isInstance(found)) {
            throw Refusals.invalid("handle " + handle + " is a " + found.kind());
        }
        return type.cast(found);
    }

    /**
     * Finds an object that a legacy command names.
     *
     * @param handle u32
     * @throws VerbsException EINVAL: no such handle
     */
    <T extends HeldObject> T legacyObject(int handle, Class<T> type) {
        HeldObject found = handles.find(Integer.toUnsignedLong(handle));
        if (!type.isInstance(found)) {
            throw Refusals.invalid("handle " + Integer.toUnsignedString(handle));
        }
        return type.cast(found);
    }

    /**
     * Gives a new object its handle, and answers the call; if the program's memory cannot be written, the object is destroyed again.
     *
     * @param answers writes the answer
     */
    void admit(HeldObject made, Runnable answers) {
        handles.add(made);
        try {
            answers.run();
        } catch (RuntimeException refused) {
            destroy(made);
            throw refused;
        }
    }

    /**
     * Destroys an object and frees its handle. What was posted before may need it, and is sent first.
     *
     * @throws VerbsException EBUSY
     */
    void destroy(HeldObject object) {
        sendPosted();
        object.destroy();
        handles.remove(object);
    }

    /**
     * Sends what the program has posted before its call, as far as that needs no answer. The kernel sends within the doorbell; here the
     * device reads doorbells a moment later.
     */
    void sendPosted() {
        context.agent().sendPosted();
    }

    /** Delivers the events of an object from now on. */
    void listen(Object element, EventCookie cookie) {
        listening.put(element, cookie);
    }

    void forget(Object element) {
        listening.remove(element);
    }

    /** Called by any thread, often with the owner's lock held. */
    private void onAsyncEvent(AsyncEvent event) {
        if (event.element() == null) {
            AsyncEventFile file = asyncEvents;
            if (file != null) {
                file.announce(event.type(), event.port());
            }
            return;
        }
        EventCookie cookie = listening.get(event.element());
        if (cookie != null && cookie.file() != null) {
            cookie.file().announce(event.type(), cookie);
        }
    }

    /**
     * Returns the file for the asynchronous events of a new object.
     *
     * @param attribute of the descriptor that the program may have named
     * @throws VerbsException EBADF: it named something else
     */
    AsyncEventFile asyncFile(UverbsCall current, int attribute) {
        if (!current.has(attribute)) {
            return asyncEvents;
        }
        return eventFile(current, current.number(attribute), AsyncEventFile.class);
    }

    /**
     * Finds an event file of this context.
     *
     * @throws VerbsException EBADF
     */
    <T extends EventFile> T eventFile(UverbsCall current, long descriptor, Class<T> type) {
        DeviceFile found = current.file(descriptor);
        if (!type.isInstance(found) || type.cast(found).context() != this) {
            throw new VerbsException(Errno.EBADF, "ioctl", "descriptor " + descriptor + " is no event file of this context");
        }
        return type.cast(found);
    }

    /**
     * Gives the program a new event file.
     *
     * @return descriptor in the program
     * @throws VerbsException EMFILE; ESRCH: the program has ended
     */
    int give(UverbsCall current, EventFile file) {
        requireRoomForEvents(file);
        eventFiles.add(file);
        try {
            return current.give(file);
        } catch (RuntimeException refused) {
            eventFiles.remove(file);
            file.pipe().close();
            throw refused;
        }
    }

    private void requireRoomForEvents(EventFile file) {
        if (eventFiles.size() >= MAX_EVENT_FILES) {
            file.pipe().close();
            throw new VerbsException(Errno.EMFILE, "ioctl", "a context has " + MAX_EVENT_FILES + " event files at most");
        }
    }

    /** Makes a file the one for the events of the port and the device, unless there is one. */
    void useForEvents(AsyncEventFile file) {
        if (asyncEvents == null) {
            asyncEvents = file;
        }
    }

    /**
     * Takes note that no program has an event file any more. A library closes its file of asynchronous events when it closes the context,
     * so that without such files nobody holds the context.
     */
    void onClosed(EventFile file) {
        eventFiles.remove(file);
        if (file instanceof AsyncEventFile && eventFiles.stream().noneMatch(AsyncEventFile.class::isInstance)) {
            closed();
        }
    }

    /**
     * Destroys all objects, queue pairs first so that their peers are notified, and closes the context. A program that waits for its
     * events reads those that are there, and finds the end of the file then.
     */
    @Override
    public void closed() {
        closeContext();
        eventFiles.forEach(process::end);
    }

    private void closeContext() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            for (HeldObject.Kind kind : HeldObject.Kind.values()) {
                handles.all(kind).forEach(this::abandon);
            }
            device.forget(this);
            context.close();
            shared.close();
            mapping.close();
        } catch (RuntimeException | InternalError fault) {
            LOG.log(System.Logger.Level.ERROR, "the context of pid " + process.pid() + " could not be closed", fault);
        } finally {
            lock.unlock();
        }
    }

    private void abandon(HeldObject object) {
        try {
            object.release();
            destroy(object);
            LostPages.raise();
        } catch (RuntimeException | InternalError fault) {
            // An InternalError is an access to a page that the program has cut off.
            LOG.log(System.Logger.Level.ERROR, object.kind() + " of pid " + process.pid() + " could not be destroyed", fault);
        }
    }

    /** Returns the number of objects that exist. */
    int objectCount() {
        lock.lock();
        try {
            return handles.count();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Finds a queue pair of this context. Any thread; takes no lock.
     *
     * @return null if there is none with that number
     */
    HeldQp queuePair(int qpNum) {
        return queuePairs.get(qpNum);
    }

    /** Makes a new queue pair known by its number. */
    void add(HeldQp made) {
        queuePairs.put(made.qp().qpNum(), made);
    }

    void remove(HeldQp destroyed) {
        queuePairs.remove(destroyed.qp().qpNum());
    }

    @Override
    public String toString() {
        return device.name() + " of pid " + process.pid() + " (" + process.command() + ')';
    }
}
