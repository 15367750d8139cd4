// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.ucm.UcmCreateId;
import org.softrdma.abi.ucm.UcmDestroyId;
import org.softrdma.abi.ucm.UcmEventsReported;
import org.softrdma.abi.ucm.UcmIdResponse;
import org.softrdma.abi.ucm.UcmMigrateId;
import org.softrdma.abi.ucm.UcmWriteEvent;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.PortSpace;

/** Creates, destroys and moves identifiers, and writes events to them. */
final class IdentifierCommands {
    private IdentifierCommands() {
    }

    static void create(UcmRequest request) {
        request.requireRoom(UcmIdResponse.BYTES);
        MemorySegment body = request.body();
        PortSpace space = PortSpace.of(UcmCreateId.ps(body, 0));
        if (space == null) {
            throw request.refuse(Errno.EINVAL, "there is no port space " + UcmCreateId.ps(body, 0));
        }
        QpType type = space == PortSpace.IB ? QpType.of(UcmCreateId.qpType(body, 0)) : space.usualType();
        if (type == null) {
            throw request.refuse(Errno.EINVAL, "there is no queue pair type " + UcmCreateId.qpType(body, 0));
        }
        UcmFile file = request.file();
        UcmIdentifier identifier = file.create(UcmCreateId.uid(body, 0), space, type);
        UcmIdResponse.id(request.answer(), 0, identifier.number());
        try {
            request.respond(UcmCreateId.response(body, 0), UcmIdResponse.BYTES);
        } catch (VerbsException unwritable) {
            file.destroy(identifier);
            throw unwritable;
        }
    }

    /** Destroys an identifier; librdmacm then waits until the program has acknowledged all events that it has read. */
    static void destroy(UcmRequest request) {
        request.requireRoom(UcmEventsReported.BYTES);
        MemorySegment body = request.body();
        UcmIdentifier identifier = request.file().findToDestroy(request, UcmDestroyId.id(body, 0));
        int reported = request.file().destroy(identifier);
        UcmEventsReported.eventsReported(request.answer(), 0, reported);
        request.respond(UcmDestroyId.response(body, 0), UcmEventsReported.BYTES);
    }

    /** Queues an event of the program itself, for the thread that reads the channel. As ucma.c of Linux 6.17. */
    static void writeEvent(UcmRequest request) {
        MemorySegment body = request.body();
        int type = UcmWriteEvent.event(body, 0);
        if (type != WrittenEvent.USER && type != WrittenEvent.INTERNAL) {
            throw request.refuse(Errno.EINVAL, "programs cannot write events of type " + type);
        }
        UcmIdentifier identifier = request.file().find(request, UcmWriteEvent.id(body, 0));
        WrittenEvent event = new WrittenEvent(type, UcmWriteEvent.status(body, 0), UcmWriteEvent.arg(body, 0));
        request.file().events().write(request, identifier, event);
    }

    static void migrate(UcmRequest request) {
        request.requireRoom(UcmEventsReported.BYTES);
        MemorySegment body = request.body();
        if (!(request.call().file(UcmMigrateId.fd(body, 0)) instanceof UcmFile old) || old.device() != request.device()) {
            throw request.refuse(Errno.EINVAL, "descriptor " + UcmMigrateId.fd(body, 0) + " is no event channel");
        }
        UcmIdentifier identifier = old.find(request, UcmMigrateId.id(body, 0));
        int reported = request.file().take(identifier, old);
        UcmEventsReported.eventsReported(request.answer(), 0, reported);
        request.respond(UcmMigrateId.response(body, 0), UcmEventsReported.BYTES);
    }
}
