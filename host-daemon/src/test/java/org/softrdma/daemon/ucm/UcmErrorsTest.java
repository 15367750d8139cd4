// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.abi.ucm.UcmBind;
import org.softrdma.abi.ucm.UcmCommand;
import org.softrdma.abi.ucm.UcmConnect;
import org.softrdma.abi.ucm.UcmConnectionParameters;
import org.softrdma.abi.ucm.UcmCreateId;
import org.softrdma.abi.ucm.UcmEvent;
import org.softrdma.abi.ucm.UcmNotify;
import org.softrdma.abi.ucm.UcmPath;
import org.softrdma.abi.ucm.UcmPathRecord;
import org.softrdma.abi.ucm.UcmQuery;
import org.softrdma.abi.ucm.UcmQueryAddressResponse;
import org.softrdma.abi.ucm.UcmQueryPathResponse;
import org.softrdma.abi.ucm.UcmQueryRouteResponse;
import org.softrdma.abi.ucm.UcmSetOption;
import org.softrdma.abi.ucm.UcmSockaddr;
import org.softrdma.daemon.trap.PlayedCall;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.PortSpace;

/** Answers to queries and options, and the errors of each command. Errno and order of checks are those of Linux 6.1's ucma.c. */
@Timeout(60)
class UcmErrorsTest extends OneProgramTests {
    private static final int ENOENT = -2;
    private static final int EFAULT = -14;
    private static final int ENODEV = -19;
    private static final int EINVAL = -22;
    private static final int ENOSPC = -28;
    private static final int ENOSYS = -38;
    private static final int EADDRNOTAVAIL = -99;
    private static final int PORT = 7473;

    // ---- the start of librdmacm ----

    /** The commands with which librdmacm finds out that the kernel knows AF_IB, as recorded; they succeed, although no device has it. */
    @Test
    void shouldPassLibrdmacmsTestForAfIb() {
        int id = program.create(channel, UcmCreateId.PS_IB);
        MemorySegment bind = program.command(UcmCommand.BIND, UcmBind.BYTES, 0);
        MemorySegment body = CmProgram.body(bind);
        UcmBind.id(body, 0, id);
        UcmBind.addrSize(body, 0, UcmSockaddr.IB_BYTES);
        UcmSockaddr.family(body, UcmBind.ADDR_OFFSET, UcmSockaddr.AF_IB);
        UcmSockaddr.ibServiceId(body, UcmBind.ADDR_OFFSET, 0x01060000L);
        UcmSockaddr.ibServiceIdMask(body, UcmBind.ADDR_OFFSET, 0xffffffff_ffff0000L);
        assertTrue(program.write(channel, bind) > 0);
        MemorySegment addresses = program.query(channel, UcmCommand.QUERY, id, UcmQuery.ADDRESS, UcmQueryAddressResponse.BYTES);
        assertEquals(48, UcmQueryAddressResponse.srcSize(addresses, 0));
        assertEquals(48, UcmQueryAddressResponse.dstSize(addresses, 0));
        assertEquals(27, UcmSockaddr.family(addresses, UcmQueryAddressResponse.SRC_ADDR_OFFSET));
        assertEquals(0x01060000L, UcmSockaddr.ibServiceId(addresses, UcmQueryAddressResponse.SRC_ADDR_OFFSET));
        assertEquals(0, UcmQueryAddressResponse.nodeGuid(addresses, 0));
        program.query(channel, UcmCommand.QUERY, id, UcmQuery.GID, UcmQueryAddressResponse.BYTES);
        assertEquals(EINVAL, program.write(channel, bind), "bound already");
        assertTrue(program.listen(channel, id, 1) > 0);
        assertEquals(0, program.destroy(channel, id));
    }

    @Test
    void shouldHaveNoDeviceForAddressesOfAfIb() {
        int id = program.create(channel, UcmCreateId.PS_TCP);
        MemorySegment bind = program.command(UcmCommand.BIND, UcmBind.BYTES, 0);
        UcmBind.id(CmProgram.body(bind), 0, id);
        UcmBind.addrSize(CmProgram.body(bind), 0, UcmSockaddr.IB_BYTES);
        UcmSockaddr.family(CmProgram.body(bind), UcmBind.ADDR_OFFSET, UcmSockaddr.AF_IB);
        CmProgram.body(bind).set(ValueLayout.JAVA_BYTE, UcmBind.ADDR_OFFSET + UcmSockaddr.IB_ADDRESS_OFFSET, (byte) 0xfe);
        assertEquals(ENODEV, program.write(channel, bind));
    }

    // ---- queries ----

    @Test
    void shouldAnswerQueries() {
        int unbound = program.create(channel, UcmCreateId.PS_TCP);
        MemorySegment nothing = program.query(channel, UcmCommand.QUERY, unbound, UcmQuery.ADDRESS, UcmQueryAddressResponse.BYTES);
        assertEquals(0, UcmQueryAddressResponse.srcSize(nothing, 0));
        assertEquals(0, UcmQueryAddressResponse.nodeGuid(nothing, 0));

        int id = program.resolved(channel, UcmCreateId.PS_TCP, PORT);
        long guid;
        long ownGidLow;
        try (Context context = programs.rdma.open()) {
            guid = context.queryDevice().nodeGuid();
            ownGidLow = context.queryGidTable().stream().filter(each -> each.gid().isIpv4Mapped()).findFirst().orElseThrow().gid().low();
        }
        MemorySegment addresses = program.query(channel, UcmCommand.QUERY, id, UcmQuery.ADDRESS, UcmQueryAddressResponse.BYTES);
        assertEquals(guid, UcmQueryAddressResponse.nodeGuid(addresses, 0));
        assertEquals(1, UcmQueryAddressResponse.portNum(addresses, 0));
        assertEquals(16, UcmQueryAddressResponse.srcSize(addresses, 0));
        assertEquals(16, UcmQueryAddressResponse.dstSize(addresses, 0));
        assertEquals(2, UcmSockaddr.family(addresses, UcmQueryAddressResponse.SRC_ADDR_OFFSET));
        assertEquals(PORT, UcmSockaddr.port(addresses, UcmQueryAddressResponse.DST_ADDR_OFFSET));
        assertEquals(-1, UcmQueryAddressResponse.ibdevIndex(addresses, 0), "the device is found by its GUID");

        MemorySegment gids = program.query(channel, UcmCommand.QUERY, id, UcmQuery.GID, UcmQueryAddressResponse.BYTES);
        assertEquals(0xffff, UcmQueryAddressResponse.pkey(gids, 0));
        assertEquals(48, UcmQueryAddressResponse.srcSize(gids, 0));
        assertEquals(27, UcmSockaddr.family(gids, UcmQueryAddressResponse.SRC_ADDR_OFFSET));
        assertEquals(0x01060000L | PORT, UcmSockaddr.ibServiceId(gids, UcmQueryAddressResponse.DST_ADDR_OFFSET));
        assertEquals(Long.reverseBytes(ownGidLow), gids.get(ValueLayout.JAVA_LONG_UNALIGNED,
            UcmQueryAddressResponse.SRC_ADDR_OFFSET + UcmSockaddr.IB_ADDRESS_OFFSET + 8), "a GID of the device");

        MemorySegment paths = program.query(channel, UcmCommand.QUERY, id, UcmQuery.PATH, 8 + 6 * UcmPath.BYTES);
        assertEquals(1, UcmQueryPathResponse.numPaths(paths, 0));
        assertEquals(0x2b, UcmPath.flags(paths, 8));
        long record = 8 + UcmPath.PATH_REC_OFFSET;
        assertEquals(0x80, UcmPathRecord.reversibleNumpath(paths, record));
        assertEquals(0xffff, UcmPathRecord.pkey(paths, record));
        assertEquals(0x92, UcmPathRecord.packetlifetime(paths, record));
        assertEquals(2, UcmPathRecord.mtu(paths, record) >> 6);
        MemorySegment few = program.query(channel, UcmCommand.QUERY, id, UcmQuery.PATH, 8);
        assertEquals(1, UcmQueryPathResponse.numPaths(few, 0));
        assertEquals(0, UcmPath.flags(few, 8), "no room for the record");
        MemorySegment route = program.query(channel, UcmCommand.QUERY_ROUTE, id, 0, UcmQueryRouteResponse.BYTES);
        assertEquals(guid, UcmQueryRouteResponse.nodeGuid(route, 0));
        assertEquals(1, UcmQueryRouteResponse.numPaths(route, 0));
        assertEquals(PORT, UcmSockaddr.port(route, UcmQueryRouteResponse.DST_ADDR_OFFSET));
    }

    @ParameterizedTest
    @CsvSource({"19,0,271,-28", "19,1,7,-28", "19,2,271,-28", "19,3,280,-38", "5,0,199,-28"})
    void shouldRefuseQueries(int command, int option, int room, int errno) {
        int id = program.create(channel, UcmCreateId.PS_TCP);
        assertEquals(errno, program.write(channel, program.queryCommand(command, id, option, room, program.allocate(512))));
    }

    // ---- options ----

    @Test
    void shouldSetOptions() {
        int id = program.create(channel, UcmCreateId.PS_TCP);
        MemorySegment value = program.allocate(8);
        value.set(ValueLayout.JAVA_INT, 0, 1);
        assertTrue(program.setOption(channel, id, 0, UcmSetOption.ID_TOS, value, 1) > 0);
        assertTrue(program.setOption(channel, id, 0, UcmSetOption.ID_REUSEADDR, value, 4) > 0);
        assertTrue(program.setOption(channel, id, 0, UcmSetOption.ID_AFONLY, value, 4) > 0);
        value.set(ValueLayout.JAVA_BYTE, 0, (byte) 14);
        assertTrue(program.setOption(channel, id, 0, UcmSetOption.ID_ACK_TIMEOUT, value, 1) > 0);
        assertEquals(EINVAL, program.setOption(channel, id, 0, UcmSetOption.ID_TOS, value, 4));
        assertEquals(EINVAL, program.setOption(channel, id, 0, UcmSetOption.ID_REUSEADDR, value, 1));
        assertEquals(EFAULT, program.setOption(channel, id, 0, UcmSetOption.ID_TOS, MemorySegment.ofAddress(8), 1));
        assertEquals(ENOSYS, program.setOption(channel, id, 0, 99, value, 4));
        assertEquals(ENOSYS, program.setOption(channel, id, 1, 99, value, 4));
        assertEquals(ENOSYS, program.setOption(channel, id, 2, 0, value, 4));
        int datagrams = program.create(channel, UcmCreateId.PS_UDP);
        assertEquals(EINVAL, program.setOption(channel, datagrams, 0, UcmSetOption.ID_ACK_TIMEOUT, value, 1));
    }

    /** A program that found its path elsewhere, as with ibacm: the route counts as resolved. */
    @Test
    void shouldTakeAPath() {
        int id = program.create(channel, UcmCreateId.PS_TCP);
        MemorySegment path = program.allocate(UcmPath.BYTES);
        UcmPath.flags(path, 0, 0x2b);
        assertEquals(EINVAL, program.setOption(channel, id, 1, UcmSetOption.IB_PATH, path, UcmPath.BYTES), "no device yet");
        program.resolve(channel, id, CmProgram.loopback(PORT));
        program.event(channel);
        assertEquals(EINVAL, program.setOption(channel, id, 1, UcmSetOption.IB_PATH, path, 71));
        assertEquals(EINVAL, program.setOption(channel, id, 1, UcmSetOption.IB_PATH, path, -UcmPath.BYTES));
        assertTrue(program.setOption(channel, id, 1, UcmSetOption.IB_PATH, path, UcmPath.BYTES) > 0);
        assertEquals(2, UcmEvent.event(program.event(channel), 0), "ROUTE_RESOLVED");
        UcmPath.flags(path, 0, 1);
        assertEquals(EINVAL, program.setOption(channel, id, 1, UcmSetOption.IB_PATH, path, UcmPath.BYTES), "no primary path");
    }

    // ---- identifiers ----

    @Test
    void shouldGiveTheLowestNumbersThatAreFree() {
        int first = program.create(channel, UcmCreateId.PS_TCP);
        int second = program.create(channel, UcmCreateId.PS_UDP);
        assertEquals(0, first);
        assertEquals(1, second);
        program.destroy(channel, first);
        assertEquals(0, program.create(channel, UcmCreateId.PS_TCP));
    }

    @Test
    void shouldRefuseToCreate() {
        MemorySegment response = program.allocate(8);
        assertEquals(EINVAL, program.tryCreate(channel, 0x0107, 2, response), "port space");
        assertEquals(EINVAL, program.tryCreate(channel, UcmCreateId.PS_IB, 77, response), "queue pair type");
        assertEquals(EFAULT, program.tryCreate(channel, UcmCreateId.PS_TCP, 2, MemorySegment.ofAddress(8)));
        assertEquals(0, program.device.identifierCount());
        MemorySegment command = program.command(UcmCommand.CREATE_ID, UcmCreateId.BYTES, 3);
        assertEquals(ENOSPC, program.write(channel, command));
    }

    @Test
    void shouldKeepChannelsApart() {
        int id = program.create(channel, UcmCreateId.PS_TCP);
        CmProgram stranger = programs.program("stranger");
        int strange = stranger.open();
        assertEquals(EINVAL, stranger.bind(strange, id, CmProgram.loopback(PORT)), "another channel's");
        assertEquals(EINVAL, stranger.destroy(strange, id));
        assertEquals(EINVAL, stranger.migrate(strange, id, strange, stranger.allocate(8)), "not of the old channel");
        assertEquals(EINVAL, stranger.migrate(strange, id, 3, stranger.allocate(8)), "no descriptor of ours");
        assertEquals(ENOENT, program.destroy(channel, id + 1));
        assertEquals(ENOENT, program.destroy(channel, -1));
        assertEquals(0, program.destroy(channel, id));
        assertEquals(ENOENT, program.destroy(channel, id), "destroyed already");
    }

    @Test
    void shouldBoundIdentifiers() {
        for (int i = 0; i < UcmLimits.IDENTIFIERS_OF_A_FILE; i++) {
            program.file(channel).create(1, PortSpace.TCP, QpType.RC);
        }
        assertEquals(-12, program.tryCreate(channel, UcmCreateId.PS_TCP, 2, program.allocate(8)));
        int other = program.open();
        assertTrue(program.tryCreate(other, UcmCreateId.PS_TCP, 2, program.allocate(8)) > 0, "another file has room");
    }

    // ---- addresses ----

    @Test
    void shouldRefuseAddresses() {
        int id = program.create(channel, UcmCreateId.PS_TCP);
        assertEquals(EADDRNOTAVAIL, program.bind(channel, id, new InetSocketAddress(InetAddress.ofLiteral("192.0.2.1"), PORT)));
        assertEquals(EINVAL, program.bind(channel, id, new InetSocketAddress(InetAddress.ofLiteral("fe80::1"), PORT)), "no interface");
        MemorySegment bind = program.command(UcmCommand.BIND, UcmBind.BYTES, 0);
        UcmBind.id(CmProgram.body(bind), 0, id);
        UcmBind.addrSize(CmProgram.body(bind), 0, 16);
        UcmSockaddr.family(CmProgram.body(bind), UcmBind.ADDR_OFFSET, 99);
        assertEquals(EINVAL, program.write(channel, bind), "family");
        UcmSockaddr.family(CmProgram.body(bind), UcmBind.ADDR_OFFSET, UcmSockaddr.AF_INET6);
        assertEquals(EINVAL, program.write(channel, bind), "size of the family");
        assertEquals(EINVAL, program.resolveRoute(channel, id), "no device");
        assertTrue(program.bind(channel, id, CmProgram.loopback(PORT)) > 0);
        assertEquals(EINVAL, program.bind(channel, id, CmProgram.loopback(PORT)), "bound already");
    }

    // ---- connections ----

    @Test
    void shouldRefuseConnectionsInTheWrongState() {
        int id = program.create(channel, UcmCreateId.PS_TCP);
        assertEquals(EINVAL, program.connect(channel, id, 17, ""), "no device");
        assertEquals(EINVAL, program.accept(channel, id, 1, 17, "", 0, 0));
        assertEquals(EINVAL, program.establish(channel, id));
        assertEquals(EINVAL, program.reject(channel, id, 0, ""));
        assertEquals(EINVAL, program.disconnect(channel, id));
        assertEquals(EINVAL, program.write(channel, program.attributesCommand(id, 1, program.allocate(144))));
        int resolved = program.resolved(channel, UcmCreateId.PS_TCP, PORT);
        assertEquals(EINVAL, program.disconnect(channel, resolved));
        assertEquals(EINVAL, program.establish(channel, resolved));
        assertEquals(EINVAL, program.write(channel, program.attributesCommand(resolved, 7, program.allocate(144))), "no such state");
        MemorySegment narrow = program.attributesCommand(resolved, 1, program.allocate(144));
        UcmCommand.out(narrow, 0, 143);
        assertEquals(ENOSPC, program.write(channel, narrow));
    }

    /** Queue pairs of other programs, and none at all, cannot be connected. */
    @Test
    void shouldConnectOwnQueuePairsOnly() {
        CmProgram other = programs.program("other");
        CmQueuePair foreign = programs.keep(new CmQueuePair(programs, other, QpType.RC));
        CmQueuePair own = programs.keep(new CmQueuePair(programs, program, QpType.RC));
        program.listener(channel, UcmCreateId.PS_TCP, PORT);
        int id = program.resolved(channel, UcmCreateId.PS_TCP, PORT);
        assertEquals(EINVAL, program.connect(channel, id, foreign.number(), ""));
        assertEquals(EINVAL, program.connect(channel, id, own.number() ^ 0x5a5a, ""));
        MemorySegment invalid = program.connectCommand(id, own.number(), "", 0, 0);
        UcmConnectionParameters.valid(CmProgram.body(invalid), UcmConnect.CONN_PARAM_OFFSET, 0);
        assertEquals(EINVAL, program.write(channel, invalid));
        assertEquals(EINVAL, program.connect(channel, id, own.number(), "x".repeat(57)), "a REQ has room for 56 bytes");
        assertTrue(program.connect(channel, id, own.number(), "x".repeat(56)) > 0);
        int passive = UcmEvent.id(program.event(channel), 0);
        assertEquals(EINVAL, program.accept(channel, passive, 1, foreign.number(), "", 0, 0));
        assertEquals(EINVAL, program.reject(channel, passive, 0, "x".repeat(149)), "a REJ has room for 148 bytes");
        assertTrue(program.reject(channel, passive, 28, "x".repeat(148)) > 0);
    }

    /** Linux's rdma_accept: in the case of an error, a reject message is sent to the remote side. */
    @Test
    void shouldRejectARequestThatCannotBeAccepted() {
        CmQueuePair own = programs.keep(new CmQueuePair(programs, program, QpType.RC));
        program.listener(channel, UcmCreateId.PS_TCP, PORT);
        int id = program.resolved(channel, UcmCreateId.PS_TCP, PORT);
        assertTrue(program.connect(channel, id, own.number(), "") > 0);
        int passive = UcmEvent.id(program.event(channel), 0);
        assertEquals(EINVAL, program.accept(channel, passive, 1, own.number(), "x".repeat(197), 0, 0), "a REP has room for 196 bytes");
        MemorySegment rejected = program.event(channel);
        assertEquals(CmEventType.REJECTED.value(), UcmEvent.event(rejected, 0));
        assertEquals(id, UcmEvent.id(rejected, 0));
        assertEquals(28, UcmEvent.status(rejected, 0), "by the consumer");
        assertEquals(EINVAL, program.reject(channel, passive, 0, ""), "it has been answered");
        assertEquals(EINVAL, program.accept(channel, passive, 1, own.number(), "", 0, 0));
    }

    /** The kernel limits retry counts beyond 7 rather than refusing them. */
    @Test
    void shouldLimitRetryCounts() {
        CmQueuePair own = programs.keep(new CmQueuePair(programs, program, QpType.RC));
        program.listener(channel, UcmCreateId.PS_TCP, PORT);
        int id = program.resolved(channel, UcmCreateId.PS_TCP, PORT);
        MemorySegment connect = program.connectCommand(id, own.number(), "", 1, 1);
        UcmConnectionParameters.retryCount(CmProgram.body(connect), UcmConnect.CONN_PARAM_OFFSET, 255);
        UcmConnectionParameters.rnrRetryCount(CmProgram.body(connect), UcmConnect.CONN_PARAM_OFFSET, 255);
        assertTrue(program.write(channel, connect) > 0);
        MemorySegment request = program.event(channel);
        assertEquals(7, UcmConnectionParameters.rnrRetryCount(request, UcmEvent.CONNECTION_PARAMETERS_OFFSET));
        assertEquals(7, UcmConnectionParameters.retryCount(request, UcmEvent.CONNECTION_PARAMETERS_OFFSET));
    }

    @Test
    void shouldTakeNotifications() {
        int id = program.create(channel, UcmCreateId.PS_TCP);
        MemorySegment notify = program.command(UcmCommand.NOTIFY, UcmNotify.BYTES, 0);
        UcmNotify.id(CmProgram.body(notify), 0, id);
        UcmNotify.event(CmProgram.body(notify), 0, 4);
        assertTrue(program.write(channel, notify) > 0, "without a device it has no effect");
        program.resolve(channel, id, CmProgram.loopback(PORT));
        assertEquals(EINVAL, program.write(channel, notify), "COMM_EST without a connection");
        UcmNotify.event(CmProgram.body(notify), 0, 77);
        assertEquals(EINVAL, program.write(channel, notify));
    }

    // ---- commands themselves ----

    @Test
    void shouldRefuseWhatIsNoCommand() {
        assertEquals(EINVAL, program.write(channel, program.command(0, 0, 0).asSlice(0, 7)));
        assertEquals(ENOSYS, program.write(channel, program.command(23, 300, 300)), "RESOLVE_IB_SERVICE is for subnets of InfiniBand");
        assertEquals(EINVAL, program.write(channel, program.command(25, 300, 300)));
        assertEquals(EINVAL, program.write(channel, program.command(-1, 300, 300)));
        assertEquals(ENOSYS, program.write(channel, program.command(13, 300, 300)));
        MemorySegment overlong = program.command(UcmCommand.GET_EVENT, 8, 336);
        UcmCommand.in(overlong, 0, 9);
        assertEquals(EINVAL, program.write(channel, overlong));
        PlayedCall call = new PlayedCall(program.process, program.files, channel, true);
        program.file(channel).write(call, 8, 24);
        assertEquals(EFAULT, call.await());
    }

    /** Truncated at every length, every command fails, and changes nothing. */
    @Test
    void shouldRefuseTruncatedCommands() {
        int[] bytes = {24, 16, 40, 64, 8, 16, 280, 8, 288, 264, 4, 16, 8, 0, 24, 8, 48, 16, 16, 16, 136, 272, 152};
        for (int number = 0; number < bytes.length; number++) {
            for (int length = 0; length < bytes[number]; length++) {
                long result = program.write(channel, program.command(number, length, 512));
                assertEquals(EINVAL, result, "command " + number + " of " + length + " bytes");
            }
        }
        assertEquals(0, program.device.identifierCount());
    }
}
