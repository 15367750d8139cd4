// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.umad;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import org.softrdma.abi.AbiLayout;
import org.softrdma.abi.umad.UmadHeader;
import org.softrdma.abi.umad.UmadIoctl;
import org.softrdma.abi.umad.UmadRegisterAgent;
import org.softrdma.abi.umad.UmadRegisterAgent2;
import org.softrdma.daemon.trap.ClientProcess;
import org.softrdma.daemon.trap.DeviceFile;
import org.softrdma.daemon.trap.PlayedCall;
import org.softrdma.linux.process.ProcessMemory;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;

/** A program with one open umad file, whose calls are those of libibumad. Its memory is native memory of this process. */
final class MadProgram implements AutoCloseable {
    static final int PING_CLASS = 0x32;
    static final int PING_OUI = 0x001405;
    static final int GET = 0x01;
    static final int GET_RESPONSE = 0x81;
    static final int MAD_BYTES = 256;
    static final int TID = 8;

    final UmadFile file;
    final Arena arena = Arena.ofShared();
    private final ProcessMemory memory = ProcessMemory.open((int) ProcessHandle.current().pid());
    private final ClientProcess process = new Process((int) ProcessHandle.current().pid(), "program", memory);
    private int headerBytes = UmadHeader.BYTES;

    private record Process(int pid, String command, ProcessMemory memory) implements ClientProcess {
        @Override
        public void end(DeviceFile file) {
            file.closed();
        }
    }

    /** Opens a file without anything else. */
    MadProgram(UmadDevice device) {
        file = device.open();
    }

    /** Opens a file with long headers, as every libibumad does. */
    static MadProgram withPkey(UmadDevice device) {
        MadProgram program = new MadProgram(device);
        assertEquals(0, program.ioctl(UmadIoctl.ENABLE_PKEY, 0));
        return program;
    }

    /** Goes on with headers without the index of the partition key. */
    void useOldHeaders() {
        headerBytes = UmadHeader.OLD_BYTES;
    }

    PlayedCall call(boolean nonBlocking) {
        return new PlayedCall(process, Map.of(), 970, nonBlocking);
    }

    long ioctl(int command, long argument) {
        PlayedCall call = call(true);
        file.ioctl(call, command, argument);
        return call.await();
    }

    MemorySegment allocate(long bytes) {
        return arena.allocate(bytes, 8);
    }

    // ---- agents ----

    MemorySegment request(int managementClass, int version, int oui, long methods) {
        MemorySegment request = allocate(UmadRegisterAgent.BYTES);
        UmadRegisterAgent.id(request, 0, -1);
        UmadRegisterAgent.qpn(request, 0, 1);
        UmadRegisterAgent.mgmtClass(request, 0, managementClass);
        UmadRegisterAgent.mgmtClassVersion(request, 0, version);
        UmadRegisterAgent.methodsLow(request, 0, methods);
        for (int i = 0; i < 3; i++) {
            request.set(ValueLayout.JAVA_BYTE, UmadRegisterAgent.OUI_OFFSET + i, (byte) (oui >>> 16 - 8 * i));
        }
        return request;
    }

    long tryRegister(MemorySegment request) {
        return ioctl(UmadIoctl.REGISTER_AGENT, request.address());
    }

    /** Registers an agent that receives pings, or answers only. */
    int register(boolean serves) {
        MemorySegment request = request(PING_CLASS, 1, PING_OUI, serves ? 1L << GET : 0);
        assertEquals(0, tryRegister(request));
        return UmadRegisterAgent.id(request, 0);
    }

    MemorySegment request2(int managementClass, int version, int flags) {
        MemorySegment request = allocate(UmadRegisterAgent2.BYTES);
        UmadRegisterAgent2.qpn(request, 0, 1);
        UmadRegisterAgent2.mgmtClass(request, 0, managementClass);
        UmadRegisterAgent2.mgmtClassVersion(request, 0, version);
        UmadRegisterAgent2.oui(request, 0, PING_OUI);
        UmadRegisterAgent2.flags(request, 0, flags);
        return request;
    }

    long unregister(int id) {
        MemorySegment word = allocate(4);
        word.set(AbiLayout.U32, 0, id);
        return ioctl(UmadIoctl.UNREGISTER_AGENT, word.address());
    }

    // ---- datagrams ----

    GidEntry ownGid() {
        return file.device().context().queryGidTable().stream().filter(each -> each.gid().isIpv4Mapped()).findFirst().orElseThrow();
    }

    /** A ping to the own device, header and datagram. */
    MemorySegment ping(int agent, long tid, int timeoutMs) {
        MemorySegment packet = allocate(headerBytes + MAD_BYTES);
        UmadHeader.id(packet, 0, agent);
        UmadHeader.timeoutMs(packet, 0, timeoutMs);
        UmadHeader.qpn(packet, 0, 1);
        UmadHeader.grhPresent(packet, 0, 1);
        UmadHeader.gidIndex(packet, 0, ownGid().index());
        gid(packet, ownGid().gid());
        MemorySegment mad = mad(packet);
        mad.set(AbiLayout.BE32, 0, 1 << 24 | PING_CLASS << 16 | 1 << 8 | GET);
        mad.set(AbiLayout.BE64, TID, tid);
        mad.set(AbiLayout.BE32, 36, PING_OUI);
        for (int i = 40; i < MAD_BYTES; i++) {
            mad.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 7 + tid));
        }
        return packet;
    }

    static void gid(MemorySegment packet, Gid gid) {
        packet.set(AbiLayout.BE64, UmadHeader.GID_OFFSET, gid.high());
        packet.set(AbiLayout.BE64, UmadHeader.GID_OFFSET + 8, gid.low());
    }

    MemorySegment mad(MemorySegment packet) {
        return packet.asSlice(headerBytes);
    }

    static int method(MemorySegment mad) {
        return mad.get(ValueLayout.JAVA_BYTE, 3) & 0xFF;
    }

    /** Makes an answer of a request that was read, as ibping does. */
    MemorySegment answer(int agent, MemorySegment request) {
        MemorySegment packet = allocate(headerBytes + MAD_BYTES).copyFrom(request.asSlice(0, headerBytes + MAD_BYTES));
        UmadHeader.id(packet, 0, agent);
        mad(packet).set(ValueLayout.JAVA_BYTE, 3, (byte) GET_RESPONSE);
        return packet;
    }

    long write(MemorySegment packet) {
        return write(packet, packet.byteSize());
    }

    long write(MemorySegment packet, long bytes) {
        PlayedCall call = call(true);
        file.write(call, packet.address(), bytes);
        return call.await();
    }

    /** Begins a read, which may wait. */
    PlayedCall beginRead(MemorySegment to, long bytes) {
        PlayedCall call = call(false);
        file.read(call, to.address(), bytes);
        return call;
    }

    long readNow(MemorySegment to, long bytes) {
        PlayedCall call = call(true);
        file.read(call, to.address(), bytes);
        return call.await();
    }

    /** Reads one datagram, and waits for it. */
    MemorySegment read() {
        MemorySegment to = allocate(headerBytes + MAD_BYTES);
        long bytes = beginRead(to, to.byteSize()).await();
        return to.asSlice(0, Math.max(bytes, 0));
    }

    @Override
    public void close() {
        file.closed();
        memory.close();
        arena.close();
    }
}
