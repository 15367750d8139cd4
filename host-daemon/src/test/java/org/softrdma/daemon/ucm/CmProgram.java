// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.softrdma.abi.AbiLayout.U8;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.softrdma.abi.ucm.UcmAccept;
import org.softrdma.abi.ucm.UcmBind;
import org.softrdma.abi.ucm.UcmCommand;
import org.softrdma.abi.ucm.UcmConnect;
import org.softrdma.abi.ucm.UcmConnectionParameters;
import org.softrdma.abi.ucm.UcmCreateId;
import org.softrdma.abi.ucm.UcmDestroyId;
import org.softrdma.abi.ucm.UcmDisconnect;
import org.softrdma.abi.ucm.UcmEvent;
import org.softrdma.abi.ucm.UcmEventsReported;
import org.softrdma.abi.ucm.UcmGetEvent;
import org.softrdma.abi.ucm.UcmIdResponse;
import org.softrdma.abi.ucm.UcmInitQpAttr;
import org.softrdma.abi.ucm.UcmListen;
import org.softrdma.abi.ucm.UcmMigrateId;
import org.softrdma.abi.ucm.UcmQuery;
import org.softrdma.abi.ucm.UcmReject;
import org.softrdma.abi.ucm.UcmResolveAddress;
import org.softrdma.abi.ucm.UcmResolveRoute;
import org.softrdma.abi.ucm.UcmSetOption;
import org.softrdma.abi.uverbs.QpAttributesRecord;
import org.softrdma.daemon.trap.ClientProcess;
import org.softrdma.daemon.trap.DeviceFile;
import org.softrdma.daemon.trap.PlayedCall;

/** A program that writes commands to rdma_cm as librdmacm does. Its memory is native memory of this process. */
final class CmProgram implements AutoCloseable {
    static final int LARGE = 512;

    final ClientProcess process;
    final UcmDevice device;
    final Map<Integer, DeviceFile> files = new HashMap<>();
    private final Arena arena = Arena.ofShared();
    private boolean exited;

    CmProgram(CmPrograms programs, ClientProcess process) {
        this.process = process;
        device = programs.device;
    }

    /** Opens an event channel and returns its descriptor. */
    int open() {
        int descriptor = 960 + files.size();
        files.put(descriptor, device.open(process));
        return descriptor;
    }

    UcmFile file(int descriptor) {
        return (UcmFile) files.get(descriptor);
    }

    MemorySegment allocate(long bytes) {
        return arena.allocate(bytes, 8);
    }

    // ---- commands ----

    /** Puts a command together. */
    MemorySegment command(int number, int bytes, int room) {
        MemorySegment command = allocate(UcmCommand.BYTES + bytes);
        UcmCommand.cmd(command, 0, number);
        UcmCommand.in(command, 0, bytes);
        UcmCommand.out(command, 0, room);
        return command;
    }

    static MemorySegment body(MemorySegment command) {
        return command.asSlice(UcmCommand.BYTES);
    }

    PlayedCall begin(int channel, MemorySegment command, boolean nonBlocking) {
        PlayedCall call = new PlayedCall(process, files, channel, nonBlocking);
        file(channel).write(call, command.address(), command.byteSize());
        return call;
    }

    /** Writes a command and returns the result: the length, or a negative errno. */
    long write(int channel, MemorySegment command) {
        return begin(channel, command, true).await();
    }

    private void succeed(int channel, MemorySegment command) {
        assertEquals(command.byteSize(), write(channel, command), "command " + UcmCommand.cmd(command, 0));
    }

    long tryCreate(int channel, int space, int type, MemorySegment response) {
        MemorySegment command = command(UcmCommand.CREATE_ID, UcmCreateId.BYTES, UcmIdResponse.BYTES);
        UcmCreateId.uid(body(command), 0, 0x7fff_0000_0000L + response.address());
        UcmCreateId.response(body(command), 0, response.address());
        UcmCreateId.ps(body(command), 0, space);
        UcmCreateId.qpType(body(command), 0, type);
        return write(channel, command);
    }

    int create(int channel, int space) {
        MemorySegment response = allocate(8);
        assertEquals(UcmCommand.BYTES + UcmCreateId.BYTES, tryCreate(channel, space, 2, response));
        return UcmIdResponse.id(response, 0);
    }

    static int putAddress(MemorySegment body, long at, InetSocketAddress address) {
        return IpAddresses.write(body, at, address);
    }

    static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port);
    }

    long bind(int channel, int id, InetSocketAddress address) {
        MemorySegment command = command(UcmCommand.BIND, UcmBind.BYTES, 0);
        UcmBind.id(body(command), 0, id);
        UcmBind.addrSize(body(command), 0, putAddress(body(command), UcmBind.ADDR_OFFSET, address));
        return write(channel, command);
    }

    long listen(int channel, int id, int backlog) {
        MemorySegment command = command(UcmCommand.LISTEN, UcmListen.BYTES, 0);
        UcmListen.id(body(command), 0, id);
        UcmListen.backlog(body(command), 0, backlog);
        return write(channel, command);
    }

    /** Creates an identifier that listens at a port. */
    int listener(int channel, int space, int port) {
        int id = create(channel, space);
        assertEquals(UcmCommand.BYTES + UcmBind.BYTES, bind(channel, id, loopback(port)));
        assertEquals(UcmCommand.BYTES + UcmListen.BYTES, listen(channel, id, 3));
        return id;
    }

    long resolve(int channel, int id, InetSocketAddress destination) {
        MemorySegment command = command(UcmCommand.RESOLVE_ADDR, UcmResolveAddress.BYTES, 0);
        UcmResolveAddress.id(body(command), 0, id);
        UcmResolveAddress.timeoutMs(body(command), 0, 2000);
        UcmResolveAddress.dstSize(body(command), 0, putAddress(body(command), UcmResolveAddress.DST_ADDR_OFFSET, destination));
        return write(channel, command);
    }

    long resolveRoute(int channel, int id) {
        MemorySegment command = command(UcmCommand.RESOLVE_ROUTE, UcmResolveRoute.BYTES, 0);
        UcmResolveRoute.id(body(command), 0, id);
        UcmResolveRoute.timeoutMs(body(command), 0, 2000);
        return write(channel, command);
    }

    /** Creates an identifier and resolves address and route; reads both events. */
    int resolved(int channel, int space, int port) {
        int id = create(channel, space);
        assertTrue(resolve(channel, id, loopback(port)) > 0);
        assertEquals(0, UcmEvent.event(event(channel), 0), "ADDR_RESOLVED");
        assertTrue(resolveRoute(channel, id) > 0);
        assertEquals(2, UcmEvent.event(event(channel), 0), "ROUTE_RESOLVED");
        return id;
    }

    static void putParameters(MemorySegment body, long at, int qpNum, String privateData, int responder, int initiator) {
        byte[] bytes = privateData.getBytes(StandardCharsets.US_ASCII);
        UcmConnectionParameters.qpNum(body, at, qpNum);
        MemorySegment.copy(bytes, 0, body, U8, at + UcmConnectionParameters.PRIVATE_DATA_OFFSET, bytes.length);
        UcmConnectionParameters.privateDataLen(body, at, bytes.length);
        UcmConnectionParameters.responderResources(body, at, responder);
        UcmConnectionParameters.initiatorDepth(body, at, initiator);
        UcmConnectionParameters.retryCount(body, at, 7);
        UcmConnectionParameters.rnrRetryCount(body, at, 7);
        UcmConnectionParameters.valid(body, at, 1);
    }

    MemorySegment connectCommand(int id, int qpNum, String privateData, int responder, int initiator) {
        MemorySegment command = command(UcmCommand.CONNECT, UcmConnect.BYTES, 0);
        putParameters(body(command), UcmConnect.CONN_PARAM_OFFSET, qpNum, privateData, responder, initiator);
        UcmConnect.id(body(command), 0, id);
        return command;
    }

    long connect(int channel, int id, int qpNum, String privateData) {
        return write(channel, connectCommand(id, qpNum, privateData, 3, 5));
    }

    long accept(int channel, int id, long uid, int qpNum, String privateData, int responder, int initiator) {
        MemorySegment command = command(UcmCommand.ACCEPT, UcmAccept.BYTES, 0);
        putParameters(body(command), UcmAccept.CONN_PARAM_OFFSET, qpNum, privateData, responder, initiator);
        UcmAccept.uid(body(command), 0, uid);
        UcmAccept.id(body(command), 0, id);
        return write(channel, command);
    }

    /** Confirms at the connecting side, as librdmacm does once the queue pair is in RTS. */
    long establish(int channel, int id) {
        MemorySegment command = command(UcmCommand.ACCEPT, UcmAccept.BYTES, 0);
        UcmAccept.id(body(command), 0, id);
        return write(channel, command);
    }

    long reject(int channel, int id, int reason, String privateData) {
        MemorySegment command = command(UcmCommand.REJECT, UcmReject.BYTES, 0);
        byte[] bytes = privateData.getBytes(StandardCharsets.US_ASCII);
        UcmReject.id(body(command), 0, id);
        UcmReject.reason(body(command), 0, reason);
        UcmReject.privateDataLen(body(command), 0, bytes.length);
        MemorySegment.copy(bytes, 0, body(command), U8, UcmReject.PRIVATE_DATA_OFFSET, bytes.length);
        return write(channel, command);
    }

    long disconnect(int channel, int id) {
        MemorySegment command = command(UcmCommand.DISCONNECT, UcmDisconnect.BYTES, 0);
        UcmDisconnect.id(body(command), 0, id);
        return write(channel, command);
    }

    MemorySegment queuePairAttributes(int channel, int id, int state) {
        MemorySegment response = allocate(QpAttributesRecord.BYTES);
        succeed(channel, attributesCommand(id, state, response));
        return response;
    }

    MemorySegment attributesCommand(int id, int state, MemorySegment response) {
        MemorySegment command = command(UcmCommand.INIT_QP_ATTR, UcmInitQpAttr.BYTES, QpAttributesRecord.BYTES);
        UcmInitQpAttr.response(body(command), 0, response.address());
        UcmInitQpAttr.id(body(command), 0, id);
        UcmInitQpAttr.qpState(body(command), 0, state);
        return command;
    }

    MemorySegment query(int channel, int command, int id, int option, int room) {
        MemorySegment response = allocate(LARGE);
        succeed(channel, queryCommand(command, id, option, room, response));
        return response;
    }

    MemorySegment queryCommand(int number, int id, int option, int room, MemorySegment response) {
        MemorySegment command = command(number, UcmQuery.BYTES, room);
        UcmQuery.response(body(command), 0, response.address());
        UcmQuery.id(body(command), 0, id);
        UcmQuery.option(body(command), 0, option);
        return command;
    }

    long setOption(int channel, int id, int level, int name, MemorySegment value, int bytes) {
        MemorySegment command = command(UcmCommand.SET_OPTION, UcmSetOption.BYTES, 0);
        UcmSetOption.optval(body(command), 0, value.address());
        UcmSetOption.id(body(command), 0, id);
        UcmSetOption.level(body(command), 0, level);
        UcmSetOption.optname(body(command), 0, name);
        UcmSetOption.optlen(body(command), 0, bytes);
        return write(channel, command);
    }

    long migrate(int channel, int id, int oldChannel, MemorySegment response) {
        MemorySegment command = command(UcmCommand.MIGRATE_ID, UcmMigrateId.BYTES, UcmEventsReported.BYTES);
        UcmMigrateId.response(body(command), 0, response.address());
        UcmMigrateId.id(body(command), 0, id);
        UcmMigrateId.fd(body(command), 0, oldChannel);
        return write(channel, command);
    }

    /** Destroys an identifier and returns its reported events, or a negative errno. */
    long destroy(int channel, int id) {
        return release(channel, UcmCommand.DESTROY_ID, id);
    }

    /** Executes DESTROY_ID or LEAVE_MCAST. */
    long release(int channel, int number, int id) {
        MemorySegment response = allocate(8);
        MemorySegment command = command(number, UcmDestroyId.BYTES, UcmEventsReported.BYTES);
        UcmDestroyId.response(body(command), 0, response.address());
        UcmDestroyId.id(body(command), 0, id);
        long result = write(channel, command);
        return result < 0 ? result : UcmEventsReported.eventsReported(response, 0);
    }

    // ---- events ----

    MemorySegment eventCommand(MemorySegment response) {
        MemorySegment command = command(UcmCommand.GET_EVENT, UcmGetEvent.BYTES, UcmEvent.BYTES);
        UcmGetEvent.response(body(command), 0, response.address());
        return command;
    }

    /** Begins to wait for an event. */
    PlayedCall beginEvent(int channel, MemorySegment response) {
        return begin(channel, eventCommand(response), false);
    }

    /** Waits for an event. */
    MemorySegment event(int channel) {
        MemorySegment response = allocate(UcmEvent.BYTES);
        assertEquals(UcmCommand.BYTES + UcmGetEvent.BYTES, beginEvent(channel, response).await());
        return response;
    }

    /** Looks for an event without waiting. */
    long tryEvent(int channel) {
        return write(channel, eventCommand(allocate(UcmEvent.BYTES)));
    }

    /** Returns how many bytes the program can read from its descriptor: the events that poll(2) reports. */
    int readable(int channel) {
        try (FileInputStream pipe = new FileInputStream("/proc/self/fd/" + file(channel).descriptor())) {
            return pipe.available();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    static String privateData(MemorySegment event) {
        long at = UcmEvent.CONNECTION_PARAMETERS_OFFSET;
        byte[] bytes = new byte[UcmConnectionParameters.privateDataLen(event, at)];
        MemorySegment.copy(event, U8, at + UcmConnectionParameters.PRIVATE_DATA_OFFSET, bytes, 0, bytes.length);
        return new String(bytes, StandardCharsets.US_ASCII).replace("\0", "");
    }

    // ---- end ----

    /** Ends the program: its files are closed, as by the kernel. */
    void exit() {
        if (!exited) {
            exited = true;
            files.values().forEach(DeviceFile::closed);
        }
    }

    @Override
    public void close() {
        exit();
        arena.close();
    }
}
