// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import org.softrdma.abi.ucm.UcmAccept;
import org.softrdma.abi.ucm.UcmBind;
import org.softrdma.abi.ucm.UcmBindIp;
import org.softrdma.abi.ucm.UcmCommand;
import org.softrdma.abi.ucm.UcmConnect;
import org.softrdma.abi.ucm.UcmCreateId;
import org.softrdma.abi.ucm.UcmDestroyId;
import org.softrdma.abi.ucm.UcmDisconnect;
import org.softrdma.abi.ucm.UcmInitQpAttr;
import org.softrdma.abi.ucm.UcmJoinIpMcast;
import org.softrdma.abi.ucm.UcmJoinMcast;
import org.softrdma.abi.ucm.UcmListen;
import org.softrdma.abi.ucm.UcmMigrateId;
import org.softrdma.abi.ucm.UcmNotify;
import org.softrdma.abi.ucm.UcmQuery;
import org.softrdma.abi.ucm.UcmReject;
import org.softrdma.abi.ucm.UcmResolveAddress;
import org.softrdma.abi.ucm.UcmResolveIp;
import org.softrdma.abi.ucm.UcmResolveRoute;
import org.softrdma.abi.ucm.UcmSetOption;
import org.softrdma.abi.ucm.UcmWriteEvent;
import org.softrdma.verbs.Errno;

/** Table of the commands that are answered at once: all but GET_EVENT, which may wait. */
final class UcmCommands {
    /** Bytes of CONNECT and ACCEPT before enhanced connection establishment, which older libraries leave out. */
    private static final int ECE_BYTES = 8;
    /** {@link UcmWriteEvent}: RDMA_USER_CM_CMD_WRITE_CM_EVENT of Linux 6.17, which Debian 12's headers do not have. */
    private static final int WRITE_CM_EVENT = 24;
    private static final Command[] TABLE = new Command[WRITE_CM_EVENT + 1];

    /** Executes a command. */
    @FunctionalInterface
    private interface Execution {
        /** @throws org.softrdma.verbs.VerbsException the errno that the program's write fails with */
        void execute(UcmRequest request);
    }

    /**
     * A command.
     *
     * @param minBytes least bytes of the body: shorter ones fail with EINVAL. The kernel reads what lies behind the program's buffer
     */
    private record Command(String name, int minBytes, Execution execution) {
    }

    static {
        add(UcmCommand.CREATE_ID, "create_id", UcmCreateId.BYTES, IdentifierCommands::create);
        add(UcmCommand.DESTROY_ID, "destroy_id", UcmDestroyId.BYTES, IdentifierCommands::destroy);
        add(UcmCommand.MIGRATE_ID, "migrate_id", UcmMigrateId.BYTES, IdentifierCommands::migrate);
        add(UcmCommand.SET_OPTION, "set_option", UcmSetOption.BYTES, OptionCommands::set);
        add(UcmCommand.BIND_IP, "bind_ip", UcmBindIp.BYTES, AddressCommands::bindIp);
        add(UcmCommand.BIND, "bind_addr", UcmBind.BYTES, AddressCommands::bind);
        add(UcmCommand.RESOLVE_IP, "resolve_ip", UcmResolveIp.BYTES, AddressCommands::resolveIp);
        add(UcmCommand.RESOLVE_ADDR, "resolve_addr", UcmResolveAddress.BYTES, AddressCommands::resolve);
        add(UcmCommand.RESOLVE_ROUTE, "resolve_route", UcmResolveRoute.BYTES, AddressCommands::resolveRoute);
        add(UcmCommand.QUERY, "query", UcmQuery.BYTES, QueryCommands::query);
        add(UcmCommand.QUERY_ROUTE, "query_route", UcmQuery.BYTES, QueryCommands::queryRoute);
        add(UcmCommand.CONNECT, "connect", UcmConnect.BYTES - ECE_BYTES, ConnectionCommands::connect);
        add(UcmCommand.LISTEN, "listen", UcmListen.BYTES, ConnectionCommands::listen);
        add(UcmCommand.ACCEPT, "accept", UcmAccept.BYTES - ECE_BYTES, ConnectionCommands::accept);
        add(UcmCommand.REJECT, "reject", UcmReject.BYTES, ConnectionCommands::reject);
        add(UcmCommand.DISCONNECT, "disconnect", UcmDisconnect.BYTES, ConnectionCommands::disconnect);
        add(UcmCommand.INIT_QP_ATTR, "init_qp_attr", UcmInitQpAttr.BYTES, ConnectionCommands::initQpAttributes);
        add(UcmCommand.NOTIFY, "notify", UcmNotify.BYTES, ConnectionCommands::notify);
        add(UcmCommand.JOIN_IP_MCAST, "join_ip_mcast", UcmJoinIpMcast.BYTES, GroupCommands::joinIp);
        add(UcmCommand.JOIN_MCAST, "join_mcast", UcmJoinMcast.BYTES, GroupCommands::join);
        add(WRITE_CM_EVENT, "write_cm_event", UcmWriteEvent.BYTES, IdentifierCommands::writeEvent);
        add(UcmCommand.LEAVE_MCAST, "leave_mcast", UcmDestroyId.BYTES, GroupCommands::leave);
    }

    private UcmCommands() {
    }

    private static void add(int number, String name, int minBytes, Execution execution) {
        TABLE[number] = new Command(name, minBytes, execution);
    }

    /**
     * Executes a command.
     *
     * @throws org.softrdma.verbs.VerbsException ENOSYS: a number without a command; EINVAL: a number beyond the table, or too short;
     *     or as the command fails
     */
    static void execute(UcmRequest request) {
        int number = request.number();
        if (number < 0 || number >= TABLE.length) {
            throw request.refuse(Errno.EINVAL, "there is no command " + number);
        }
        Command command = TABLE[number];
        if (command == null) {
            throw request.refuse(Errno.ENOSYS, "command " + number + " has no meaning");
        }
        request.name(command.name);
        if (request.bodyBytes() < command.minBytes) {
            throw request.refuse(Errno.EINVAL, request.bodyBytes() + " bytes; the command has " + command.minBytes);
        }
        command.execution.execute(request);
    }
}
