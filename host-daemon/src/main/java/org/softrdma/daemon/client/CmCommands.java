// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import org.softrdma.abi.AbiLayout;
import org.softrdma.abi.ucm.UcmAccept;
import org.softrdma.abi.ucm.UcmBind;
import org.softrdma.abi.ucm.UcmCommand;
import org.softrdma.abi.ucm.UcmConnect;
import org.softrdma.abi.ucm.UcmCreateId;
import org.softrdma.abi.ucm.UcmDestroyId;
import org.softrdma.abi.ucm.UcmDisconnect;
import org.softrdma.abi.ucm.UcmEventsReported;
import org.softrdma.abi.ucm.UcmIdResponse;
import org.softrdma.abi.ucm.UcmInitQpAttr;
import org.softrdma.abi.ucm.UcmJoinMcast;
import org.softrdma.abi.ucm.UcmListen;
import org.softrdma.abi.ucm.UcmMigrateId;
import org.softrdma.abi.ucm.UcmNotify;
import org.softrdma.abi.ucm.UcmQuery;
import org.softrdma.abi.ucm.UcmQueryAddressResponse;
import org.softrdma.abi.ucm.UcmReject;
import org.softrdma.abi.ucm.UcmResolveAddress;
import org.softrdma.abi.ucm.UcmResolveRoute;
import org.softrdma.abi.ucm.UcmSetOption;
import org.softrdma.abi.uverbs.QpAttributesRecord;
import org.softrdma.daemon.ucm.IpAddresses;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.PortSpace;

/** The commands of one identifier. Each throws a VerbsException if the daemon refuses it, with its errno and reason. */
final class CmCommands {
    private static final int SEND_ONLY = 1;

    private final int number;
    private volatile JoinedEventChannel channel;

    /** @param number of the identifier at the daemon */
    CmCommands(JoinedEventChannel channel, int number) {
        this.channel = channel;
        this.number = number;
    }

    /**
     * Creates an identifier.
     *
     * @param name cookie of its requests
     * @return its number
     */
    static int create(JoinedEventChannel channel, long name, PortSpace portSpace, QpType type) {
        try (UcmCall call = channel.command("create_id", UcmCommand.CREATE_ID, UcmCreateId.BYTES, UcmIdResponse.BYTES)) {
            UcmCreateId.uid(call.body(), 0, name);
            UcmCreateId.response(call.body(), 0, call.answer().address());
            UcmCreateId.ps(call.body(), 0, portSpace.value());
            UcmCreateId.qpType(call.body(), 0, type.value());
            call.run("create_id");
            return UcmIdResponse.id(call.answer(), 0);
        }
    }

    int number() {
        return number;
    }

    private UcmCall begin(String verb, int command, int bodyBytes, int answerBytes) {
        return channel.command(verb, command, bodyBytes, answerBytes);
    }

    // ---- addresses ----

    void bind(InetSocketAddress to) {
        try (UcmCall call = begin("bind_addr", UcmCommand.BIND, UcmBind.BYTES, 0)) {
            UcmBind.id(call.body(), 0, number);
            UcmBind.addrSize(call.body(), 0, IpAddresses.write(call.body(), UcmBind.ADDR_OFFSET, to));
            call.run("bind_addr");
        }
    }

    /** @param source null for the route's */
    void resolveAddress(InetSocketAddress source, InetSocketAddress destination, int timeoutMs) {
        try (UcmCall call = begin("resolve_addr", UcmCommand.RESOLVE_ADDR, UcmResolveAddress.BYTES, 0)) {
            MemorySegment m = call.body();
            UcmResolveAddress.id(m, 0, number);
            UcmResolveAddress.timeoutMs(m, 0, timeoutMs);
            UcmResolveAddress.srcSize(m, 0,
                source == null ? 0 : IpAddresses.write(m, UcmResolveAddress.SRC_ADDR_OFFSET, source));
            UcmResolveAddress.dstSize(m, 0, IpAddresses.write(m, UcmResolveAddress.DST_ADDR_OFFSET, destination));
            call.run("resolve_addr");
        }
    }

    void resolveRoute(int timeoutMs) {
        try (UcmCall call = begin("resolve_route", UcmCommand.RESOLVE_ROUTE, UcmResolveRoute.BYTES, 0)) {
            UcmResolveRoute.id(call.body(), 0, number);
            UcmResolveRoute.timeoutMs(call.body(), 0, timeoutMs);
            call.run("resolve_route");
        }
    }

    CmAddresses query() {
        try (UcmCall call = begin("query_id", UcmCommand.QUERY, UcmQuery.BYTES, UcmQueryAddressResponse.BYTES)) {
            UcmQuery.response(call.body(), 0, call.answer().address());
            UcmQuery.id(call.body(), 0, number);
            UcmQuery.option(call.body(), 0, UcmQuery.ADDRESS);
            call.run("query_id");
            return CmAddresses.of(call.answer());
        }
    }

    QpAttributes initQpAttributes(QpState state) {
        try (UcmCall call = begin("init_qp_attr", UcmCommand.INIT_QP_ATTR, UcmInitQpAttr.BYTES, QpAttributesRecord.BYTES)) {
            UcmInitQpAttr.response(call.body(), 0, call.answer().address());
            UcmInitQpAttr.id(call.body(), 0, number);
            UcmInitQpAttr.qpState(call.body(), 0, state.value());
            call.run("init_qp_attr");
            return CmRecords.attributes(call.answer());
        }
    }

    // ---- connections ----

    void listen(int backlog) {
        try (UcmCall call = begin("listen", UcmCommand.LISTEN, UcmListen.BYTES, 0)) {
            UcmListen.id(call.body(), 0, number);
            UcmListen.backlog(call.body(), 0, backlog);
            call.run("listen");
        }
    }

    void connect(ConnectionParameters parameters) {
        try (UcmCall call = begin("connect", UcmCommand.CONNECT, UcmConnect.BYTES, 0)) {
            CmRecords.set(call.body(), UcmConnect.CONN_PARAM_OFFSET, "connect", parameters);
            UcmConnect.id(call.body(), 0, number);
            call.run("connect");
        }
    }

    /** @param name cookie of the identifier's events from now on */
    void accept(ConnectionParameters parameters, long name) {
        try (UcmCall call = begin("accept", UcmCommand.ACCEPT, UcmAccept.BYTES, 0)) {
            CmRecords.set(call.body(), UcmAccept.CONN_PARAM_OFFSET, "accept", parameters);
            UcmAccept.uid(call.body(), 0, name);
            UcmAccept.id(call.body(), 0, number);
            call.run("accept");
        }
    }

    /** Confirms at the connecting side that the queue pair is in RTS: ACCEPT without parameters. */
    void establish() {
        try (UcmCall call = begin("establish", UcmCommand.ACCEPT, UcmAccept.BYTES, 0)) {
            UcmAccept.id(call.body(), 0, number);
            call.run("establish");
        }
    }

    void reject(byte[] privateData) {
        CmRecords.requireFits("reject", privateData);
        try (UcmCall call = begin("reject", UcmCommand.REJECT, UcmReject.BYTES, 0)) {
            UcmReject.id(call.body(), 0, number);
            UcmReject.privateDataLen(call.body(), 0, privateData.length);
            MemorySegment.copy(privateData, 0, call.body(), JAVA_BYTE, UcmReject.PRIVATE_DATA_OFFSET, privateData.length);
            call.run("reject");
        }
    }

    void disconnect() {
        try (UcmCall call = begin("disconnect", UcmCommand.DISCONNECT, UcmDisconnect.BYTES, 0)) {
            UcmDisconnect.id(call.body(), 0, number);
            call.run("disconnect");
        }
    }

    void notifyOf(int event) {
        try (UcmCall call = begin("notify", UcmCommand.NOTIFY, UcmNotify.BYTES, 0)) {
            UcmNotify.id(call.body(), 0, number);
            UcmNotify.event(call.body(), 0, event);
            call.run("notify");
        }
    }

    // ---- groups and options ----

    /** Begins to join a group; the membership gets its number. */
    void join(JoinedMembership membership) {
        try (UcmCall call = begin("join_multicast", UcmCommand.JOIN_MCAST, UcmJoinMcast.BYTES, UcmIdResponse.BYTES)) {
            MemorySegment m = call.body();
            UcmJoinMcast.response(m, 0, call.answer().address());
            UcmJoinMcast.uid(m, 0, membership.name());
            UcmJoinMcast.id(m, 0, number);
            UcmJoinMcast.addrSize(m, 0,
                IpAddresses.write(m, UcmJoinMcast.ADDR_OFFSET, new InetSocketAddress(membership.group(), 0)));
            UcmJoinMcast.joinFlags(m, 0, membership.isSendOnly() ? SEND_ONLY : 0);
            call.run("join_multicast");
            membership.number(UcmIdResponse.id(call.answer(), 0));
        }
    }

    void leave(JoinedMembership membership) {
        release("leave_multicast", UcmCommand.LEAVE_MCAST, membership.number());
    }

    /** Destroys the identifier. */
    void destroy() {
        release("destroy_id", UcmCommand.DESTROY_ID, number);
    }

    private void release(String verb, int command, int released) {
        try (UcmCall call = begin(verb, command, UcmDestroyId.BYTES, UcmEventsReported.BYTES)) {
            UcmDestroyId.response(call.body(), 0, call.answer().address());
            UcmDestroyId.id(call.body(), 0, released);
            call.run(verb);
        }
    }

    /** Sets an option of one byte or of an int. */
    void option(int option, int value, int bytes) {
        try (UcmCall call = begin("set_option", UcmCommand.SET_OPTION, UcmSetOption.BYTES, 0)) {
            MemorySegment given = call.room(Integer.BYTES);
            given.set(AbiLayout.U32, 0, value);
            UcmSetOption.optval(call.body(), 0, given.address());
            UcmSetOption.id(call.body(), 0, number);
            UcmSetOption.level(call.body(), 0, UcmSetOption.LEVEL_ID);
            UcmSetOption.optname(call.body(), 0, option);
            UcmSetOption.optlen(call.body(), 0, bytes);
            call.run("set_option");
        }
    }

    /** Moves the identifier, with its pending events, to another channel. */
    void migrate(JoinedEventChannel to) {
        try (UcmCall call = to.command("migrate_id", UcmCommand.MIGRATE_ID, UcmMigrateId.BYTES, UcmEventsReported.BYTES)) {
            UcmMigrateId.response(call.body(), 0, call.answer().address());
            UcmMigrateId.id(call.body(), 0, number);
            UcmMigrateId.fd(call.body(), 0, channel.file("migrate_id"));
            call.run("migrate_id");
            channel = to;
        }
    }
}
