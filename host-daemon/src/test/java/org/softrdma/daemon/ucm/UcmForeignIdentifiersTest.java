// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.softrdma.abi.AbiLayout;
import org.softrdma.abi.ucm.UcmAccept;
import org.softrdma.abi.ucm.UcmBind;
import org.softrdma.abi.ucm.UcmBindIp;
import org.softrdma.abi.ucm.UcmCommand;
import org.softrdma.abi.ucm.UcmConnect;
import org.softrdma.abi.ucm.UcmConnectionParameters;
import org.softrdma.abi.ucm.UcmCreateId;
import org.softrdma.abi.ucm.UcmDestroyId;
import org.softrdma.abi.ucm.UcmDisconnect;
import org.softrdma.abi.ucm.UcmInitQpAttr;
import org.softrdma.abi.ucm.UcmJoinIpMcast;
import org.softrdma.abi.ucm.UcmJoinMcast;
import org.softrdma.abi.ucm.UcmListen;
import org.softrdma.abi.ucm.UcmNotify;
import org.softrdma.abi.ucm.UcmQuery;
import org.softrdma.abi.ucm.UcmReject;
import org.softrdma.abi.ucm.UcmResolveAddress;
import org.softrdma.abi.ucm.UcmResolveIp;
import org.softrdma.abi.ucm.UcmResolveRoute;
import org.softrdma.abi.ucm.UcmSetOption;
import org.softrdma.abi.ucm.UcmWriteEvent;
import org.softrdma.abi.ucm.UcmSockaddr;
import org.softrdma.verbs.QpType;

/** Commands that name identifiers of other programs, whose numbers anyone can guess: none has an effect. */
@Timeout(60)
class UcmForeignIdentifiersTest {
    private static final int ENOENT = -2;
    private static final int EINVAL = -22;
    private static final int PORT = 7481;
    private static final int NOBODYS = 0x5a5a;
    /** Room for any answer. */
    private static final int ROOM = 1024;

    /** Every command that names an identifier, with the offset of its number. */
    private enum Named {
        DESTROY_ID(UcmCommand.DESTROY_ID, UcmDestroyId.BYTES, UcmDestroyId.ID_OFFSET),
        BIND_IP(UcmCommand.BIND_IP, UcmBindIp.BYTES, UcmBindIp.ID_OFFSET),
        RESOLVE_IP(UcmCommand.RESOLVE_IP, UcmResolveIp.BYTES, UcmResolveIp.ID_OFFSET),
        RESOLVE_ROUTE(UcmCommand.RESOLVE_ROUTE, UcmResolveRoute.BYTES, UcmResolveRoute.ID_OFFSET),
        QUERY_ROUTE(UcmCommand.QUERY_ROUTE, UcmQuery.BYTES, UcmQuery.ID_OFFSET),
        CONNECT(UcmCommand.CONNECT, UcmConnect.BYTES, UcmConnect.ID_OFFSET),
        LISTEN(UcmCommand.LISTEN, UcmListen.BYTES, UcmListen.ID_OFFSET),
        ACCEPT(UcmCommand.ACCEPT, UcmAccept.BYTES, UcmAccept.ID_OFFSET),
        REJECT(UcmCommand.REJECT, UcmReject.BYTES, UcmReject.ID_OFFSET),
        DISCONNECT(UcmCommand.DISCONNECT, UcmDisconnect.BYTES, UcmDisconnect.ID_OFFSET),
        INIT_QP_ATTR(UcmCommand.INIT_QP_ATTR, UcmInitQpAttr.BYTES, UcmInitQpAttr.ID_OFFSET),
        SET_OPTION(UcmCommand.SET_OPTION, UcmSetOption.BYTES, UcmSetOption.ID_OFFSET),
        NOTIFY(UcmCommand.NOTIFY, UcmNotify.BYTES, UcmNotify.ID_OFFSET),
        JOIN_IP_MCAST(UcmCommand.JOIN_IP_MCAST, UcmJoinIpMcast.BYTES, UcmJoinIpMcast.ID_OFFSET),
        QUERY(UcmCommand.QUERY, UcmQuery.BYTES, UcmQuery.ID_OFFSET),
        BIND(UcmCommand.BIND, UcmBind.BYTES, UcmBind.ID_OFFSET),
        RESOLVE_ADDR(UcmCommand.RESOLVE_ADDR, UcmResolveAddress.BYTES, UcmResolveAddress.ID_OFFSET),
        JOIN_MCAST(UcmCommand.JOIN_MCAST, UcmJoinMcast.BYTES, UcmJoinMcast.ID_OFFSET),
        WRITE_CM_EVENT(24, UcmWriteEvent.BYTES, UcmWriteEvent.ID_OFFSET);

        private final int number;
        private final int bytes;
        private final int idOffset;

        Named(int number, int bytes, int idOffset) {
            this.number = number;
            this.bytes = bytes;
            this.idOffset = idOffset;
        }
    }

    @TempDir
    private Path state;
    private CmPrograms programs;
    private CmProgram owner;
    private CmProgram stranger;
    private int channel;
    private int strange;

    @BeforeEach
    void begin() {
        programs = new CmPrograms("rxe", state);
        owner = programs.program("owner");
        channel = owner.open();
        stranger = programs.program("stranger");
        strange = stranger.open();
    }

    @AfterEach
    void end() {
        programs.close();
        assertEquals(0, programs.device.identifierCount());
    }

    private MemorySegment naming(Named which, int id) {
        MemorySegment command = stranger.command(which.number, which.bytes, ROOM);
        MemorySegment body = CmProgram.body(command);
        body.set(AbiLayout.U32, which.idOffset, id);
        MemorySegment room = stranger.allocate(ROOM);
        switch (which) {
            case DESTROY_ID -> UcmDestroyId.response(body, 0, room.address());
            case QUERY_ROUTE, QUERY -> UcmQuery.response(body, 0, room.address());
            case INIT_QP_ATTR -> UcmInitQpAttr.response(body, 0, room.address());
            case CONNECT -> UcmConnectionParameters.valid(body, UcmConnect.CONN_PARAM_OFFSET, 1);
            case BIND_IP -> UcmSockaddr.family(body, UcmBindIp.ADDR_OFFSET, UcmSockaddr.AF_INET);
            case BIND -> {
                UcmSockaddr.family(body, UcmBind.ADDR_OFFSET, UcmSockaddr.AF_INET);
                UcmBind.addrSize(body, 0, 16);
            }
            case JOIN_MCAST -> UcmJoinMcast.response(body, 0, room.address());
            default -> { }
        }
        return command;
    }

    @ParameterizedTest
    @EnumSource
    void shouldHaveNoEffectOnOthersIdentifiers(Named which) {
        CmQueuePair pair = programs.keep(new CmQueuePair(programs, owner, QpType.RC));
        owner.listener(channel, UcmCreateId.PS_TCP, PORT);
        int id = owner.resolved(channel, UcmCreateId.PS_TCP, PORT);
        int identifiers = programs.device.identifierCount();
        long nobodys = stranger.write(strange, naming(which, NOBODYS));
        assertTrue(nobodys == ENOENT || nobodys == EINVAL, "an identifier of nobody: " + nobodys);
        assertEquals(EINVAL, stranger.write(strange, naming(which, id)));
        assertEquals(identifiers, programs.device.identifierCount());
        assertTrue(owner.connect(channel, id, pair.number(), "") > 0, "the owner goes on");
    }

    /** The identifier is looked for before anything else, so that the errors of the other test are those of the look-up. */
    @Test
    void shouldLookForTheIdentifierBeforeAnythingElse() {
        Set<Named> first = EnumSet.of(Named.DESTROY_ID, Named.RESOLVE_ROUTE, Named.QUERY_ROUTE, Named.CONNECT, Named.LISTEN, Named.ACCEPT,
            Named.REJECT, Named.DISCONNECT, Named.INIT_QP_ATTR, Named.SET_OPTION, Named.NOTIFY, Named.QUERY);
        for (Named which : first) {
            assertEquals(ENOENT, stranger.write(strange, naming(which, NOBODYS)), which.name());
        }
    }
}
