// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import static org.softrdma.abi.AbiLayout.U8;

import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.softrdma.abi.ucm.UcmAccept;
import org.softrdma.abi.ucm.UcmConnect;
import org.softrdma.abi.ucm.UcmConnectionParameters;
import org.softrdma.abi.ucm.UcmDisconnect;
import org.softrdma.abi.ucm.UcmInitQpAttr;
import org.softrdma.abi.ucm.UcmListen;
import org.softrdma.abi.ucm.UcmNotify;
import org.softrdma.abi.ucm.UcmReject;
import org.softrdma.abi.uverbs.QpAttributesRecord;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.Transport;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionParameters;

/** Requests, answers and ends connections. */
final class ConnectionCommands {
    private static final int QPN_MASK = 0xffffff;
    /** Reject reasons that programs may give. Source: IBA vol 1 §12.6.7.2; the kernel refuses others. */
    private static final int REJECT_BY_CONSUMER = 28;
    private static final int REJECT_VENDOR_OPTION = 35;
    private static final int IPV6_BYTES = 16;

    private ConnectionCommands() {
    }

    /**
     * Finds an identifier that has a device.
     *
     * @throws VerbsException ENOENT, EINVAL
     */
    static UcmIdentifier findWithDevice(UcmRequest request, int number) {
        UcmIdentifier identifier = request.file().find(request, number);
        requireDevice(request, identifier);
        return identifier;
    }

    /**
     * Checks that the identifier has a device.
     *
     * @throws VerbsException EINVAL
     */
    static void requireDevice(UcmRequest request, UcmIdentifier identifier) {
        if (identifier.cm().verbs() == null) {
            throw request.refuse(Errno.EINVAL, "the identifier has no device yet");
        }
    }

    // ---- connecting ----

    static void connect(UcmRequest request) {
        MemorySegment body = request.body();
        if (UcmConnectionParameters.valid(body, UcmConnect.CONN_PARAM_OFFSET) == 0) {
            throw request.refuse(Errno.EINVAL, "the parameters are not valid");
        }
        UcmIdentifier identifier = findWithDevice(request, UcmConnect.id(body, 0));
        identifier.cm().connect(parameters(request, identifier, UcmConnect.CONN_PARAM_OFFSET));
    }

    /** Reads connection parameters. The kernel limits retry counts rather than refusing them. */
    private static ConnectionParameters parameters(UcmRequest request, UcmIdentifier identifier, long at) {
        MemorySegment body = request.body();
        byte[] privateData = new byte[UcmConnectionParameters.privateDataLen(body, at)];
        MemorySegment.copy(body, U8, at + UcmConnectionParameters.PRIVATE_DATA_OFFSET, privateData, 0, privateData.length);
        int qpNum = UcmConnectionParameters.qpNum(body, at) & QPN_MASK;
        ConnectionParameters.Builder parameters = ConnectionParameters.builder().privateData(privateData).qpNum(qpNum);
        CmId cm = identifier.cm();
        if (cm.qpType() == QpType.UD) {
            return parameters.build();
        }
        if (!request.device().owners().owns(request.process(), cm.verbs().device().name(), qpNum)) {
            throw request.refuse(Errno.EINVAL, "queue pair " + qpNum + " of " + cm.verbs().device().name() + " is not the program's");
        }
        return parameters
            .responderResources(UcmConnectionParameters.responderResources(body, at))
            .initiatorDepth(UcmConnectionParameters.initiatorDepth(body, at))
            .flowControl(UcmConnectionParameters.flowControl(body, at) != 0)
            .retryCount(Math.min(UcmConnectionParameters.retryCount(body, at), ConnectionParameters.MAX_RETRIES))
            .rnrRetryCount(Math.min(UcmConnectionParameters.rnrRetryCount(body, at), ConnectionParameters.MAX_RETRIES))
            .srq(UcmConnectionParameters.srq(body, at) != 0)
            .build();
    }

    // ---- accepting ----

    static void listen(UcmRequest request) {
        MemorySegment body = request.body();
        UcmIdentifier identifier = request.file().find(request, UcmListen.id(body, 0));
        int backlog = UcmListen.backlog(body, 0);
        if (identifier.ibAddress() != null && !AddressCommands.isBound(identifier.cm())) {
            identifier.cm().bind(new InetSocketAddress(wildcard(), identifier.ibAddress().port()));
        }
        identifier.cm().listen(backlog <= 0 ? UcmLimits.MAX_BACKLOG : Math.min(backlog, UcmLimits.MAX_BACKLOG));
    }

    /** Returns the wildcard address of both IP versions: a service ID of AF_IB has none. */
    private static InetAddress wildcard() {
        try {
            return Inet6Address.getByAddress(new byte[IPV6_BYTES]);
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /**
     * Accepts a request; without parameters, confirms at the connecting side that the queue pair is ready. A request that cannot be
     * accepted is rejected, as by the kernel's {@code rdma_accept}: its peer waits for an answer.
     */
    static void accept(UcmRequest request) {
        MemorySegment body = request.body();
        UcmIdentifier identifier = findWithDevice(request, UcmAccept.id(body, 0));
        if (UcmConnectionParameters.valid(body, UcmAccept.CONN_PARAM_OFFSET) == 0) {
            identifier.cm().establish();
            return;
        }
        ConnectionParameters parameters = parameters(request, identifier, UcmAccept.CONN_PARAM_OFFSET);
        long before = identifier.uid();
        // Set before accepting: ESTABLISHED may follow at once, and has the new cookie.
        identifier.uid(UcmAccept.uid(body, 0));
        try {
            identifier.cm().accept(parameters);
        } catch (VerbsException refused) {
            identifier.uid(before);
            rejectUnaccepted(identifier.cm());
            throw refused;
        }
    }

    private static void rejectUnaccepted(CmId cm) {
        try {
            cm.reject(new byte[0]);
        } catch (VerbsException answered) {
            // No request waits for an answer: it was answered before, or taken back.
        }
    }

    static void reject(UcmRequest request) {
        MemorySegment body = request.body();
        int reason = UcmReject.reason(body, 0);
        if (reason != 0 && reason != REJECT_BY_CONSUMER && reason != REJECT_VENDOR_OPTION) {
            throw request.refuse(Errno.EINVAL, "reason " + reason + " is not for programs");
        }
        UcmIdentifier identifier = findWithDevice(request, UcmReject.id(body, 0));
        byte[] privateData = new byte[UcmReject.privateDataLen(body, 0)];
        MemorySegment.copy(body, U8, UcmReject.PRIVATE_DATA_OFFSET, privateData, 0, privateData.length);
        identifier.cm().reject(privateData);
    }

    // ---- both sides ----

    static void disconnect(UcmRequest request) {
        findWithDevice(request, UcmDisconnect.id(request.body(), 0)).cm().disconnect();
    }

    static void notify(UcmRequest request) {
        MemorySegment body = request.body();
        CmId cm = request.file().find(request, UcmNotify.id(body, 0)).cm();
        if (cm.verbs() == null || cm.verbs().device().transport() == Transport.IWARP) {
            return;
        }
        AsyncEventType event = AsyncEventType.of(UcmNotify.event(body, 0));
        if (event != AsyncEventType.COMM_EST) {
            throw request.refuse(Errno.EINVAL, "event " + UcmNotify.event(body, 0) + " does not concern a connection");
        }
        cm.notify(event);
    }

    /** Answers with the attributes that the library modifies its queue pair with. */
    static void initQpAttributes(UcmRequest request) {
        request.requireRoom(QpAttributesRecord.BYTES);
        MemorySegment body = request.body();
        QpState state = QpState.of(UcmInitQpAttr.qpState(body, 0));
        if (state == null) {
            throw request.refuse(Errno.EINVAL, "there is no state " + UcmInitQpAttr.qpState(body, 0));
        }
        CmId cm = findWithDevice(request, UcmInitQpAttr.id(body, 0)).cm();
        if (cm.verbs().device().transport() == Transport.IWARP) {
            QpAttributesWriter.writeIwarp(request.answer(), state);
        } else {
            QpAttributesWriter.write(request.answer(), state, cm.initQpAttributes(state));
        }
        request.respond(UcmInitQpAttr.response(body, 0), QpAttributesRecord.BYTES);
    }
}
