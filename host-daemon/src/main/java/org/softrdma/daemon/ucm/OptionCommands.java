// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U8;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.ucm.UcmPath;
import org.softrdma.abi.ucm.UcmSetOption;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QpType;

/** Sets options of identifiers. */
final class OptionCommands {
    /** Most path records that are looked at in one call; the kernel's limit is what it can allocate. */
    private static final int MAX_PATHS = 64;

    private OptionCommands() {
    }

    static void set(UcmRequest request) {
        MemorySegment body = request.body();
        UcmIdentifier identifier = request.file().find(request, UcmSetOption.id(body, 0));
        switch (UcmSetOption.level(body, 0)) {
            case UcmSetOption.LEVEL_ID -> setOfIdentifier(request, identifier);
            case UcmSetOption.LEVEL_IB -> setPath(request, identifier);
            default -> throw request.refuse(Errno.ENOSYS, "there is no level " + UcmSetOption.level(body, 0));
        }
    }

    private static void setOfIdentifier(UcmRequest request, UcmIdentifier identifier) {
        int option = UcmSetOption.optname(request.body(), 0);
        switch (option) {
            case UcmSetOption.ID_TOS -> identifier.cm().typeOfService(readByte(request));
            case UcmSetOption.ID_REUSEADDR -> identifier.cm().reuseAddress(readInt(request) != 0);
            case UcmSetOption.ID_AFONLY -> identifier.cm().familyOnly(readInt(request) != 0);
            case UcmSetOption.ID_ACK_TIMEOUT -> setAckTimeout(request, identifier);
            default -> throw request.refuse(Errno.ENOSYS, "there is no option " + option);
        }
    }

    private static void setAckTimeout(UcmRequest request, UcmIdentifier identifier) {
        int code = readByte(request);
        QpType type = identifier.cm().qpType();
        if (type != QpType.RC && type != QpType.XRC_SEND) {
            throw request.refuse(Errno.EINVAL, "queue pairs of " + type + " have no ACK timeout");
        }
        identifier.cm().ackTimeout(code);
    }

    /**
     * Takes a path that the program has found itself, in place of RESOLVE_ROUTE. On Ethernet the host's routing table has decided already:
     * the record is checked, and has no other effect.
     */
    private static void setPath(UcmRequest request, UcmIdentifier identifier) {
        MemorySegment body = request.body();
        if (UcmSetOption.optname(body, 0) != UcmSetOption.IB_PATH) {
            throw request.refuse(Errno.ENOSYS, "there is no option " + UcmSetOption.optname(body, 0));
        }
        long bytes = Integer.toUnsignedLong(UcmSetOption.optlen(body, 0));
        if (bytes % UcmPath.BYTES != 0 || bytes > MAX_PATHS * (long) UcmPath.BYTES) {
            throw request.refuse(Errno.EINVAL, bytes + " bytes are no path records");
        }
        ConnectionCommands.requireDevice(request, identifier);
        MemorySegment path = request.answer();
        for (long at = 0; at < bytes; at += UcmPath.BYTES) {
            request.read(UcmSetOption.optval(body, 0) + at, path, UcmPath.BYTES);
            if (UcmPath.flags(path, 0) == UcmPath.PRIMARY_BIDIRECTIONAL) {
                identifier.cm().resolveRoute(1);
                return;
            }
        }
        throw request.refuse(Errno.EINVAL, "no record is a primary path in both directions");
    }

    private static int readByte(UcmRequest request) {
        return value(request, Byte.BYTES).get(U8, 0) & 0xff;
    }

    private static int readInt(UcmRequest request) {
        return value(request, Integer.BYTES).get(U32, 0);
    }

    private static MemorySegment value(UcmRequest request, int bytes) {
        MemorySegment body = request.body();
        if (UcmSetOption.optlen(body, 0) != bytes) {
            throw request.refuse(Errno.EINVAL, UcmSetOption.optlen(body, 0) + " bytes; the option has " + bytes);
        }
        MemorySegment value = request.answer();
        request.read(UcmSetOption.optval(body, 0), value, bytes);
        return value;
    }
}
