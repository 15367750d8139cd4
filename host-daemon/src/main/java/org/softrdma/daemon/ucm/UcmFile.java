// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.softrdma.abi.ucm.UcmCommand;
import org.softrdma.daemon.trap.DeviceFile;
import org.softrdma.daemon.trap.HeapRoom;
import org.softrdma.daemon.trap.TrappedCall;
import org.softrdma.host.inspect.Owner;
import org.softrdma.linux.process.FileIdentity;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.PortSpace;

/**
 * One open of rdma_cm: librdmacm's event channel, with its identifiers. The program's descriptor is the reading end of a pipe with a byte
 * for each event, which is polled natively; its writes are trapped, and each is a command.
 */
public final class UcmFile implements DeviceFile {
    private static final System.Logger LOG = System.getLogger(UcmFile.class.getName());

    private final UcmDevice device;
    private final Owner program;
    private final UcmEvents events;
    /** Identifiers of this file; guarded by the set itself. */
    private final Set<UcmIdentifier> identifiers = new HashSet<>();
    /** Identifiers in the channel, from before their creation until they are destroyed; guarded by {@link #identifiers}, as is the rest. */
    private int present;
    private boolean closed;
    /** Whether the channel is to be closed by the call that creates or destroys the last identifier. */
    private boolean closesWhenEmpty;

    /**
     * Opens an event channel.
     *
     * @param program whose identifiers they are
     * @throws VerbsException EMFILE
     */
    UcmFile(UcmDevice device, Owner program) {
        this.device = device;
        this.program = program;
        events = new UcmEvents(this);
    }

    UcmDevice device() {
        return device;
    }

    UcmEvents events() {
        return events;
    }

    // ---- file ----

    @Override
    public Kind kind() {
        return Kind.CONNECTIONS;
    }

    @Override
    public int descriptor() {
        return events.pipe().reader();
    }

    @Override
    public void given() {
        events.pipe().closeReader();
    }

    @Override
    public FileIdentity identity() {
        return events.pipe().identity();
    }

    @Override
    public int lastCloseDescriptor() {
        return events.pipe().writer();
    }

    @Override
    public void write(TrappedCall call, long address, long bytes) {
        try {
            UcmRequest request = UcmRequest.copy(call, this, address, bytes);
            if (request.number() == UcmCommand.GET_EVENT) {
                events.get(request, bytes);
                return;
            }
            UcmCommands.execute(request);
            call.answer(bytes);
        } catch (VerbsException refused) {
            LOG.log(System.Logger.Level.DEBUG, refused::getMessage);
            call.refuse(refused);
        } catch (OutOfMemoryError full) {
            LOG.log(System.Logger.Level.WARNING, "no memory for a command of rdma_cm", full);
            call.answer(-Errno.ENOMEM.value());
        } catch (RuntimeException | AssertionError broken) {
            LOG.log(System.Logger.Level.ERROR, "a command of rdma_cm failed unexpectedly", broken);
            call.answer(-Errno.EIO.value());
        }
    }

    // ---- identifiers ----

    /**
     * Creates an identifier.
     *
     * @param uid the library's cookie
     * @throws VerbsException ENOMEM: there are too many; EIO: the file is closed
     */
    UcmIdentifier create(long uid, PortSpace space, QpType type) {
        requireRoom();
        arrive();
        UcmIdentifier identifier = null;
        try {
            identifier = new UcmIdentifier(this, uid);
            identifier.cm(device.manager().createId(events.channel(), identifier, space, type, program));
        } catch (VerbsException refused) {
            if (identifier != null) {
                identifier.leaveTables();
            }
            leave();
            throw refused;
        }
        enter(identifier);
        return identifier;
    }

    /**
     * Makes an identifier for a request that the connection manager hands out.
     *
     * @throws VerbsException ENOMEM, EIO
     */
    UcmIdentifier adopt(CmId cm) {
        requireRoom();
        arrive();
        UcmIdentifier identifier;
        try {
            identifier = new UcmIdentifier(this, 0);
        } catch (VerbsException full) {
            leave();
            throw full;
        }
        identifier.cm(cm);
        cm.context(identifier);
        enter(identifier);
        return identifier;
    }

    private void requireRoom() {
        HeapRoom.require("create_id");
        synchronized (identifiers) {
            if (identifiers.size() >= UcmLimits.IDENTIFIERS_OF_A_FILE) {
                throw new VerbsException(Errno.ENOMEM, "create_id",
                    "the channel has " + UcmLimits.IDENTIFIERS_OF_A_FILE + " identifiers; destroy some");
            }
        }
    }

    /**
     * Counts an identifier that is about to be in the channel.
     *
     * @throws VerbsException EIO: the file is closed
     */
    private void arrive() {
        synchronized (identifiers) {
            if (closed) {
                throw new VerbsException(Errno.EIO, "create_id", "the channel is closed");
            }
            present++;
        }
    }

    /** Counts an identifier that is not in the channel any more. */
    private void leave() {
        boolean last;
        synchronized (identifiers) {
            present--;
            last = present == 0 && closesWhenEmpty;
        }
        if (last) {
            closeChannel();
        }
    }

    private void enter(UcmIdentifier identifier) {
        synchronized (identifiers) {
            if (!closed) {
                identifiers.add(identifier);
                return;
            }
        }
        destroy(identifier);
        throw new VerbsException(Errno.EIO, "create_id", "the channel is closed");
    }

    /**
     * Finds an identifier.
     *
     * @throws VerbsException ENOENT: there is none of that number; EINVAL: it is another channel's; EIO: its device was removed
     */
    UcmIdentifier find(UcmRequest request, int number) {
        UcmIdentifier identifier = findToDestroy(request, number);
        if (identifier.isRemoved()) {
            throw request.refuse(Errno.EIO, "the device of identifier " + number + " was removed; destroy it");
        }
        return identifier;
    }

    /**
     * Finds an identifier whose device may have been removed.
     *
     * @throws VerbsException ENOENT, EINVAL
     */
    UcmIdentifier findToDestroy(UcmRequest request, int number) {
        UcmIdentifier identifier = device.identifiers().get(number);
        if (identifier == null || identifier.cm() == null) {
            throw request.refuse(Errno.ENOENT, "there is no identifier " + number);
        }
        if (identifier.file() != this) {
            throw request.refuse(Errno.EINVAL, "identifier " + number + " is another channel's");
        }
        return identifier;
    }

    /**
     * Destroys an identifier: its peer is notified, its port is free, its unread events are gone.
     *
     * @return events that the program has read, which librdmacm waits for until they are acknowledged
     */
    int destroy(UcmIdentifier identifier) {
        if (identifier.leaveTables()) {
            synchronized (identifiers) {
                identifiers.remove(identifier);
            }
            identifier.cm().close();
            UcmFile last;
            synchronized (identifier.moving()) {
                last = identifier.file();
            }
            last.leave();
        }
        return events.dropOf(identifier);
    }

    /**
     * Takes over an identifier of another file, with its unread events.
     *
     * @return events that the program has read there
     * @throws VerbsException EINVAL: it is closed; ENOMEM; EIO
     */
    int take(UcmIdentifier identifier, UcmFile old) {
        if (old == this) {
            return identifier.eventsReported();
        }
        requireRoom();
        arrive();
        UcmFile left = this;
        synchronized (identifier.moving()) {
            try {
                if (identifier.file() == old) {
                    identifier.cm().migrate(events.channel());
                    identifier.file(this);
                    left = old;
                    synchronized (old.identifiers) {
                        old.identifiers.remove(identifier);
                    }
                    events.hold(old.events.takeHeldOf(identifier));
                }
            } finally {
                left.leave();
            }
        }
        if (left == old) {
            enter(identifier);
        }
        return identifier.eventsReported();
    }

    // ---- closing ----

    @Override
    public void closed() {
        List<UcmIdentifier> all;
        synchronized (identifiers) {
            if (closed) {
                return;
            }
            closed = true;
            all = new ArrayList<>(identifiers);
        }
        events.stop();
        all.forEach(this::destroyQuietly);
        synchronized (identifiers) {
            // Calls of the program that has ended may still create or destroy some.
            closesWhenEmpty = present != 0;
        }
        if (!closesWhenEmpty) {
            closeChannel();
        }
    }

    private void closeChannel() {
        try {
            events.close();
        } catch (VerbsException busy) {
            LOG.log(System.Logger.Level.WARNING, "an event channel of a program remains: " + busy.getMessage());
        }
    }

    private void destroyQuietly(UcmIdentifier identifier) {
        try {
            destroy(identifier);
        } catch (RuntimeException fault) {
            LOG.log(System.Logger.Level.WARNING, "an identifier of a program remains", fault);
        }
    }
}
