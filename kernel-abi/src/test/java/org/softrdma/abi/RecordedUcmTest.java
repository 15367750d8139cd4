// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.softrdma.abi.ucm.UcmAccept;
import org.softrdma.abi.ucm.UcmBind;
import org.softrdma.abi.ucm.UcmCommand;
import org.softrdma.abi.ucm.UcmConnect;
import org.softrdma.abi.ucm.UcmConnectionParameters;
import org.softrdma.abi.ucm.UcmCreateId;
import org.softrdma.abi.ucm.UcmDestroyId;
import org.softrdma.abi.ucm.UcmDisconnect;
import org.softrdma.abi.ucm.UcmEvent;
import org.softrdma.abi.ucm.UcmGetEvent;
import org.softrdma.abi.ucm.UcmInitQpAttr;
import org.softrdma.abi.ucm.UcmListen;
import org.softrdma.abi.ucm.UcmPath;
import org.softrdma.abi.ucm.UcmQuery;
import org.softrdma.abi.ucm.UcmQueryAddressResponse;
import org.softrdma.abi.ucm.UcmQueryPathResponse;
import org.softrdma.abi.ucm.UcmResolveAddress;
import org.softrdma.abi.ucm.UcmResolveRoute;
import org.softrdma.abi.ucm.UcmSockaddr;
import org.softrdma.abi.uverbs.QpAttributesRecord;

/** Commands that Debian 12's librdmacm writes for rping: the fields hold what rping was told by its options, and what its source says. */
class RecordedUcmTest {
    private static final String CLIENT = "rping -c";
    private static final String SERVER = "rping -s";
    private static final int PORT = 7174;
    private static final int LOOPBACK = 0x7f000001;
    private static final ValueLayout.OfInt IPV4 = AbiLayout.BE32;

    private static List<MemorySegment> commands(String program, int command) throws IOException {
        List<MemorySegment> bodies = RecordedCall.of(program, "ucm").stream().map(RecordedCall::bytes)
            .filter(each -> UcmCommand.cmd(each, 0) == command).map(each -> each.asSlice(UcmCommand.BYTES)).toList();
        assertTrue(!bodies.isEmpty(), "no command " + command);
        return bodies;
    }

    @Test
    void shouldHaveTheSizesInTheHeader() throws IOException {
        for (String program : List.of(CLIENT, SERVER)) {
            for (RecordedCall call : RecordedCall.of(program, "ucm")) {
                MemorySegment m = call.bytes();
                assertEquals(m.byteSize() - UcmCommand.BYTES, UcmCommand.in(m, 0));
                int command = UcmCommand.cmd(m, 0);
                assertEquals(bodyBytes(command), UcmCommand.in(m, 0), "body of command " + command);
                int out = UcmCommand.out(m, 0);
                switch (command) {
                    case UcmCommand.CREATE_ID, UcmCommand.DESTROY_ID -> assertEquals(4, out);
                    case UcmCommand.GET_EVENT -> assertEquals(UcmEvent.BYTES, out);
                    case UcmCommand.INIT_QP_ATTR -> assertEquals(QpAttributesRecord.BYTES, out);
                    case UcmCommand.QUERY -> assertEquals(UcmQuery.option(m, UcmCommand.BYTES) == UcmQuery.PATH
                        ? UcmQueryPathResponse.BYTES + 6 * UcmPath.BYTES : UcmQueryAddressResponse.BYTES, out);
                    default -> assertEquals(0, out);
                }
            }
        }
    }

    private static int bodyBytes(int command) {
        return switch (command) {
            case UcmCommand.CREATE_ID -> UcmCreateId.BYTES;
            case UcmCommand.DESTROY_ID -> UcmDestroyId.BYTES;
            case UcmCommand.RESOLVE_ROUTE -> UcmResolveRoute.BYTES;
            case UcmCommand.CONNECT -> UcmConnect.BYTES;
            case UcmCommand.LISTEN -> UcmListen.BYTES;
            case UcmCommand.ACCEPT -> UcmAccept.BYTES;
            case UcmCommand.DISCONNECT -> UcmDisconnect.BYTES;
            case UcmCommand.INIT_QP_ATTR -> UcmInitQpAttr.BYTES;
            case UcmCommand.GET_EVENT -> UcmGetEvent.BYTES;
            case UcmCommand.QUERY -> UcmQuery.BYTES;
            case UcmCommand.BIND -> UcmBind.BYTES;
            case UcmCommand.RESOLVE_ADDR -> UcmResolveAddress.BYTES;
            default -> throw new AssertionError("command " + command);
        };
    }

    /** librdmacm binds an identifier of service IDs to find out whether the kernel knows AF_IB. */
    @Test
    void shouldReadTheTestForServiceIds() throws IOException {
        MemorySegment create = commands(CLIENT, UcmCommand.CREATE_ID).getFirst();
        assertEquals(UcmCreateId.PS_IB, UcmCreateId.ps(create, 0));
        MemorySegment bind = commands(CLIENT, UcmCommand.BIND).getFirst();
        long address = UcmBind.ADDR_OFFSET;
        assertEquals(UcmSockaddr.IB_BYTES, UcmBind.addrSize(bind, 0));
        assertEquals(UcmSockaddr.AF_IB, UcmSockaddr.family(bind, address));
        assertEquals(UcmSockaddr.IB_BYTES, UcmSockaddr.bytes(UcmSockaddr.family(bind, address)));
        assertEquals((long) UcmCreateId.PS_TCP << 16, UcmSockaddr.ibServiceId(bind, address));
        assertEquals(0xFFFF_FFFF_FFFF_0000L, UcmSockaddr.ibServiceIdMask(bind, address) & 0xFFFF_FFFF_FFFF_0000L);
    }

    @Test
    void shouldReadAClient() throws IOException {
        MemorySegment create = commands(CLIENT, UcmCommand.CREATE_ID).getLast();
        assertEquals(UcmCreateId.PS_TCP, UcmCreateId.ps(create, 0));
        assertEquals(2, UcmCreateId.qpType(create, 0));
        MemorySegment resolve = commands(CLIENT, UcmCommand.RESOLVE_ADDR).getFirst();
        int id = UcmResolveAddress.id(resolve, 0);
        assertEquals(2000, UcmResolveAddress.timeoutMs(resolve, 0));
        assertEquals(0, UcmResolveAddress.srcSize(resolve, 0));
        assertEquals(UcmSockaddr.IPV4_BYTES, UcmResolveAddress.dstSize(resolve, 0));
        shouldBeRpingsAddress(resolve, UcmResolveAddress.DST_ADDR_OFFSET);
        MemorySegment route = commands(CLIENT, UcmCommand.RESOLVE_ROUTE).getFirst();
        assertEquals(id, UcmResolveRoute.id(route, 0));
        assertEquals(2000, UcmResolveRoute.timeoutMs(route, 0));
        assertEquals(List.of(1, 1, 2, 3), commands(CLIENT, UcmCommand.INIT_QP_ATTR).stream()
            .map(each -> UcmInitQpAttr.qpState(each, 0)).toList(), "INIT, RTR, RTS");
        MemorySegment connect = commands(CLIENT, UcmCommand.CONNECT).getFirst();
        assertEquals(id, UcmConnect.id(connect, 0));
        shouldBeRpingsParameters(connect, UcmConnect.CONN_PARAM_OFFSET);
        MemorySegment accept = commands(CLIENT, UcmCommand.ACCEPT).getFirst();
        assertEquals(id, UcmAccept.id(accept, 0));
        assertEquals(0, UcmConnectionParameters.valid(accept, UcmAccept.CONN_PARAM_OFFSET));
        assertEquals(id, UcmDisconnect.id(commands(CLIENT, UcmCommand.DISCONNECT).getFirst(), 0));
        MemorySegment destroy = commands(CLIENT, UcmCommand.DESTROY_ID).getLast();
        assertEquals(id, UcmDestroyId.id(destroy, 0));
        assertEquals(UcmCreateId.response(create, 0), UcmDestroyId.response(destroy, 0), "librdmacm uses the same variable");
    }

    private static void shouldBeRpingsAddress(MemorySegment m, long address) {
        assertEquals(UcmSockaddr.AF_INET, UcmSockaddr.family(m, address));
        assertEquals(PORT, UcmSockaddr.port(m, address));
        assertEquals(LOOPBACK, m.get(IPV4, address + UcmSockaddr.IPV4_ADDRESS_OFFSET));
    }

    private static void shouldBeRpingsParameters(MemorySegment m, long at) {
        assertEquals(1, UcmConnectionParameters.responderResources(m, at));
        assertEquals(1, UcmConnectionParameters.initiatorDepth(m, at));
        assertEquals(7, UcmConnectionParameters.retryCount(m, at));
        assertEquals(7, UcmConnectionParameters.rnrRetryCount(m, at));
        assertEquals(0, UcmConnectionParameters.privateDataLen(m, at));
        assertEquals(1, UcmConnectionParameters.valid(m, at));
        assertTrue(UcmConnectionParameters.qpNum(m, at) > 0 && UcmConnectionParameters.qpNum(m, at) < 1 << 24);
    }

    @Test
    void shouldReadAServer() throws IOException {
        MemorySegment bind = commands(SERVER, UcmCommand.BIND).getLast();
        assertEquals(UcmSockaddr.IPV4_BYTES, UcmBind.addrSize(bind, 0));
        shouldBeRpingsAddress(bind, UcmBind.ADDR_OFFSET);
        MemorySegment listen = commands(SERVER, UcmCommand.LISTEN).getFirst();
        assertEquals(UcmBind.id(bind, 0), UcmListen.id(listen, 0));
        assertEquals(3, UcmListen.backlog(listen, 0));
        MemorySegment accept = commands(SERVER, UcmCommand.ACCEPT).getFirst();
        assertTrue(UcmAccept.uid(accept, 0) != 0);
        shouldBeRpingsParameters(accept, UcmAccept.CONN_PARAM_OFFSET);
        assertEquals(UcmAccept.id(accept, 0), UcmDisconnect.id(commands(SERVER, UcmCommand.DISCONNECT).getFirst(), 0));
    }
}
