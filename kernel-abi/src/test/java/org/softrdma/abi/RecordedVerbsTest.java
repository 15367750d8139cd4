// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.softrdma.abi.rings.RxeAtomicRequest;
import org.softrdma.abi.rings.RxeDatagramRequest;
import org.softrdma.abi.rings.RxeElement;
import org.softrdma.abi.rings.RxeRdmaRequest;
import org.softrdma.abi.rings.RxeReceiveRecord;
import org.softrdma.abi.rings.RxeSendRecord;
import org.softrdma.abi.uverbs.AhAttributes;
import org.softrdma.abi.uverbs.CreateAhCommand;
import org.softrdma.abi.uverbs.IoctlBundle;
import org.softrdma.abi.uverbs.LegacyHeader;
import org.softrdma.abi.uverbs.ModifyQpCommand;
import org.softrdma.abi.uverbs.PostSendCommand;
import org.softrdma.abi.uverbs.QpCapabilitiesRecord;
import org.softrdma.abi.uverbs.QpDestination;
import org.softrdma.abi.uverbs.QueryQpCommand;
import org.softrdma.abi.uverbs.RegMrCommand;
import org.softrdma.abi.uverbs.ReqNotifyCqCommand;
import org.softrdma.abi.uverbs.UverbsAttribute;
import org.softrdma.abi.uverbs.UverbsCommand;
import org.softrdma.abi.uverbs.UverbsMethod;
import org.softrdma.abi.uverbs.UverbsObject;

/**
 * Calls and ring records of Debian 12's libibverbs and librxe: the fields hold what the programs were told by their options, and what their
 * sources say ({@code rc_pingpong.c}, {@code ud_pingpong.c}).
 */
class RecordedVerbsTest {
    private static final String RC = "ibv_rc_pingpong";
    private static final String UD = "ibv_ud_pingpong";
    private static final String LOOPBACK_GID = "00000000000000000000ffff7f000001";
    private static final long SIZE = 4096;

    private final IoctlBundle bundle = new IoctlBundle();

    private void parse(RecordedCall call) {
        assertTrue(bundle.parse(call.bytes(), call.bytes().byteSize()));
        assertEquals(14, bundle.driverId());
    }

    /** The ioctl of a method, the only one or the first. */
    private RecordedCall method(String program, int object, int method) throws IOException {
        for (RecordedCall call : RecordedCall.of(program, "ioctl")) {
            parse(call);
            if (bundle.object() == object && bundle.method() == method) {
                return call;
            }
        }
        throw new AssertionError("no method " + object + "." + method);
    }

    /** Commands of one number that INVOKE_WRITE carried: their bodies. */
    private List<MemorySegment> commands(String program, int number) throws IOException {
        return RecordedCall.of(program, "ioctl").stream().filter(call -> {
            parse(call);
            return bundle.object() == UverbsObject.DEVICE && bundle.method() == UverbsMethod.INVOKE_WRITE
                && value(UverbsAttribute.WRITE_CMD) == number;
        }).map(call -> {
            parse(call);
            int index = bundle.indexOf(UverbsAttribute.CORE_IN);
            return bundle.len(index) <= 8 ? call.bytes().asSlice(bundle.attributeOffset(index) + 8, 8) : call.inputs().get(index);
        }).toList();
    }

    private long value(int attribute) {
        return bundle.data(bundle.indexOf(attribute));
    }

    /** The calls that the same program makes on a kernel device, as counted there; only notifications depend on timing. */
    @Test
    void shouldCountTheCallsThatAKernelDeviceSees() throws IOException {
        Map<String, Integer> counts = new TreeMap<>();
        for (RecordedCall call : RecordedCall.of(RC, "ioctl")) {
            parse(call);
            String command = bundle.object() == 0 && bundle.method() == 0 ? "." + value(UverbsAttribute.WRITE_CMD) : "";
            counts.merge(bundle.object() + "." + bundle.method() + command, 1, Integer::sum);
        }
        counts.remove("0.0." + UverbsCommand.REQ_NOTIFY_CQ);
        Map<String, Integer> kernel = new TreeMap<>(Map.of("16.0", 1, "3.0", 1, "3.1", 1, "0.3", 1, "0.6", 1, "0.2", 1, "7.1", 1, "1.0", 1,
            "4.0", 1, "4.1", 1));
        kernel.putAll(Map.of("0.0.3", 1, "0.0.17", 1, "0.0.26", 3, "0.0.1", 1, "0.0.25", 1, "0.0.9", 1));
        assertEquals(kernel, counts);
    }

    @Test
    void shouldReadACompletionQueue() throws IOException {
        method(RC, UverbsObject.CQ, UverbsMethod.CQ_CREATE);
        assertEquals(5 + 1, value(UverbsAttribute.CREATE_CQ_CQE));
        assertEquals(0, value(UverbsAttribute.CREATE_CQ_COMP_VECTOR));
        assertTrue(value(UverbsAttribute.CREATE_CQ_COMP_CHANNEL) > 2, "descriptor above standard error");
        assertEquals(0, bundle.len(bundle.indexOf(UverbsAttribute.CREATE_CQ_COMP_CHANNEL)));
        assertEquals(4, bundle.len(bundle.indexOf(UverbsAttribute.CREATE_CQ_RESP_CQE)));
        assertEquals(16, bundle.len(bundle.indexOf(UverbsAttribute.UHW_OUT)));
        assertEquals(0, bundle.refusal(IoctlBundle.known(0, 1, 2, 3, 4, 5, 6, UverbsAttribute.UHW_IN, UverbsAttribute.UHW_OUT)));
        assertEquals(IoctlBundle.EPROTONOSUPPORT, bundle.refusal(IoctlBundle.known(0, 1, 2, 3, 4, 5, 6, 7)), "driver data is mandatory");
        method(UD, UverbsObject.CQ, UverbsMethod.CQ_CREATE);
        assertEquals(-1, bundle.indexOf(UverbsAttribute.CREATE_CQ_COMP_CHANNEL));
    }

    @Test
    void shouldReadAQueuePair() throws IOException {
        RecordedCall call = method(RC, UverbsObject.QP, UverbsMethod.QP_CREATE);
        assertEquals(2, value(UverbsAttribute.CREATE_QP_TYPE));
        assertEquals(value(UverbsAttribute.CREATE_QP_SEND_CQ_HANDLE), value(UverbsAttribute.CREATE_QP_RECV_CQ_HANDLE));
        MemorySegment caps = call.inputs().get(bundle.indexOf(UverbsAttribute.CREATE_QP_CAP));
        assertEquals(QpCapabilitiesRecord.BYTES, caps.byteSize());
        assertEquals(1, QpCapabilitiesRecord.maxSendWr(caps, 0));
        assertEquals(5, QpCapabilitiesRecord.maxRecvWr(caps, 0));
        assertEquals(1, QpCapabilitiesRecord.maxSendSge(caps, 0));
        assertEquals(1, QpCapabilitiesRecord.maxRecvSge(caps, 0));
        assertEquals(0, QpCapabilitiesRecord.maxInlineData(caps, 0));
        assertEquals(32, bundle.len(bundle.indexOf(UverbsAttribute.UHW_OUT)));
        method(UD, UverbsObject.QP, UverbsMethod.QP_CREATE);
        assertEquals(4, value(UverbsAttribute.CREATE_QP_TYPE));
    }

    @Test
    void shouldReadAMemoryRegion() throws IOException {
        MemorySegment command = commands(RC, UverbsCommand.REG_MR).getFirst();
        assertEquals(RegMrCommand.BYTES, command.byteSize());
        assertEquals(SIZE, RegMrCommand.length(command, 0));
        assertEquals(0, RegMrCommand.start(command, 0) & 0xFFF, "aligned to a page");
        assertEquals(RegMrCommand.start(command, 0), RegMrCommand.hcaVa(command, 0));
        assertEquals(1, RegMrCommand.accessFlags(command, 0));
        method(RC, UverbsObject.QP, UverbsMethod.QP_CREATE);
        assertEquals(value(UverbsAttribute.CREATE_QP_PD_HANDLE), RegMrCommand.pdHandle(command, 0));
    }

    @Test
    void shouldReadTheStatesOfAConnection() throws IOException {
        List<MemorySegment> commands = commands(RC, UverbsCommand.MODIFY_QP);
        MemorySegment init = commands.get(0);
        assertEquals(ModifyQpCommand.BYTES, init.byteSize());
        // state, access flags, partition key, port
        assertEquals(1 | 8 | 16 | 32, ModifyQpCommand.attrMask(init, 0));
        assertEquals(1, ModifyQpCommand.qpState(init, 0));
        assertEquals(1, ModifyQpCommand.portNum(init, 0));
        assertEquals(0, ModifyQpCommand.qpAccessFlags(init, 0));
        MemorySegment rtr = commands.get(1);
        // state, address, path MTU, peer, PSN, READs, receiver not ready
        assertEquals(1 | 1 << 7 | 1 << 8 | 1 << 20 | 1 << 12 | 1 << 17 | 1 << 15, ModifyQpCommand.attrMask(rtr, 0));
        assertEquals(2, ModifyQpCommand.qpState(rtr, 0));
        assertEquals(3, ModifyQpCommand.pathMtu(rtr, 0));
        assertEquals(1, ModifyQpCommand.maxDestRdAtomic(rtr, 0));
        assertEquals(12, ModifyQpCommand.minRnrTimer(rtr, 0));
        assertEquals(0x11, ModifyQpCommand.destQpNum(rtr, 0));
        shouldLeadToLoopback(rtr, ModifyQpCommand.DEST_OFFSET);
        MemorySegment rts = commands.get(2);
        // state, timeout, retries, receiver not ready, PSN, READs
        assertEquals(1 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 16 | 1 << 13, ModifyQpCommand.attrMask(rts, 0));
        assertEquals(3, ModifyQpCommand.qpState(rts, 0));
        assertEquals(14, ModifyQpCommand.timeout(rts, 0));
        assertEquals(7, ModifyQpCommand.retryCnt(rts, 0));
        assertEquals(7, ModifyQpCommand.rnrRetry(rts, 0));
        assertEquals(1, ModifyQpCommand.maxRdAtomic(rts, 0));
        assertTrue(ModifyQpCommand.sqPsn(rts, 0) > 0 && ModifyQpCommand.sqPsn(rts, 0) < 1 << 24);
    }

    private static void shouldLeadToLoopback(MemorySegment m, long at) {
        assertEquals(LOOPBACK_GID, hex(m, at + QpDestination.DGID_OFFSET));
        assertEquals(1, QpDestination.isGlobal(m, at));
        assertEquals(0, QpDestination.sgidIndex(m, at));
        assertEquals(1, QpDestination.hopLimit(m, at));
        assertEquals(1, QpDestination.portNum(m, at));
        assertEquals(0, QpDestination.sl(m, at));
    }

    private static String hex(MemorySegment m, long at) {
        return HexFormat.of().formatHex(m.asSlice(at, 16).toArray(ValueLayout.JAVA_BYTE));
    }

    @Test
    void shouldReadSmallCommandsInTheAttribute() throws IOException {
        MemorySegment notify = commands(RC, UverbsCommand.REQ_NOTIFY_CQ).getFirst();
        method(RC, UverbsObject.CQ, UverbsMethod.CQ_DESTROY);
        assertEquals(value(UverbsAttribute.DESTROY_CQ_HANDLE), ReqNotifyCqCommand.cqHandle(notify, 0));
        assertEquals(0, ReqNotifyCqCommand.solicitedOnly(notify, 0));
        MemorySegment query = commands(RC, UverbsCommand.QUERY_QP).getFirst();
        method(RC, UverbsObject.QP, UverbsMethod.QP_DESTROY);
        assertEquals(value(UverbsAttribute.DESTROY_QP_HANDLE), QueryQpCommand.qpHandle(query, 0));
        assertEquals(1 << 19, QueryQpCommand.attrMask(query, 0), "IBV_QP_CAP");
    }

    @Test
    void shouldReadAnAddressHandle() throws IOException {
        MemorySegment command = commands(UD, UverbsCommand.CREATE_AH).getFirst();
        assertEquals(CreateAhCommand.BYTES, command.byteSize());
        long attributes = CreateAhCommand.ATTR_OFFSET;
        assertEquals(LOOPBACK_GID, hex(command, attributes + AhAttributes.DGID_OFFSET));
        assertEquals(1, AhAttributes.isGlobal(command, attributes));
        assertEquals(1, AhAttributes.hopLimit(command, attributes));
        assertEquals(1, AhAttributes.portNum(command, attributes));
        method(UD, UverbsObject.QP, UverbsMethod.QP_CREATE);
        assertEquals(value(UverbsAttribute.CREATE_QP_PD_HANDLE), CreateAhCommand.pdHandle(command, 0));
    }

    @Test
    void shouldReadADoorbell() throws IOException {
        MemorySegment bell = RecordedCall.of(RC, "doorbell").getFirst().bytes();
        assertEquals(LegacyHeader.BYTES + PostSendCommand.BYTES, bell.byteSize());
        assertEquals(UverbsCommand.POST_SEND, LegacyHeader.command(bell, 0));
        assertEquals(8, LegacyHeader.inWords(bell, 0), "8 words are these 32 bytes");
        assertEquals(1, LegacyHeader.outWords(bell, 0));
        method(RC, UverbsObject.QP, UverbsMethod.QP_DESTROY);
        assertEquals(value(UverbsAttribute.DESTROY_QP_HANDLE), PostSendCommand.qpHandle(bell, LegacyHeader.BYTES));
        assertEquals(0, PostSendCommand.wrCount(bell, LegacyHeader.BYTES));
        assertEquals(0, PostSendCommand.sgeCount(bell, LegacyHeader.BYTES));
    }

    @Test
    void shouldReadASendAndAReceive() throws IOException {
        MemorySegment region = commands(RC, UverbsCommand.REG_MR).getFirst();
        List<RecordedCall> sends = RecordedCall.of(RC, "send");
        assertEquals(3, sends.size());
        for (int i = 0; i < 3; i++) {
            MemorySegment send = sends.get(i).bytes();
            assertEquals(2, RxeSendRecord.wrId(send, 0), "PINGPONG_SEND_WRID");
            assertEquals(2, RxeSendRecord.opcode(send, 0), "IBV_WR_SEND");
            assertEquals(2, RxeSendRecord.sendFlags(send, 0), "IBV_SEND_SIGNALED");
            assertEquals(SIZE, RxeSendRecord.length(send, 0));
            assertEquals(SIZE, RxeSendRecord.resid(send, 0));
            assertEquals(1, RxeSendRecord.numSge(send, 0));
            assertEquals(i, RxeSendRecord.ssn(send, 0));
            shouldNameTheRegion(region, send, RxeSendRecord.SGE_OFFSET);
        }
        MemorySegment receive = RecordedCall.of(RC, "receive").getFirst().bytes();
        assertEquals(1, RxeReceiveRecord.wrId(receive, 0), "PINGPONG_RECV_WRID");
        assertEquals(SIZE, RxeReceiveRecord.length(receive, 0));
        assertEquals(SIZE, RxeReceiveRecord.resid(receive, 0));
        assertEquals(1, RxeReceiveRecord.numSge(receive, 0));
        assertEquals(0, RxeReceiveRecord.curSge(receive, 0));
        shouldNameTheRegion(region, receive, RxeReceiveRecord.SGE_OFFSET);
        assertEquals(RxeElement.lkey(sends.getFirst().bytes(), RxeSendRecord.SGE_OFFSET),
            RxeElement.lkey(receive, RxeReceiveRecord.SGE_OFFSET));
    }

    private static void shouldNameTheRegion(MemorySegment region, MemorySegment record, long element) {
        assertEquals(RegMrCommand.start(region, 0), RxeElement.addr(record, element));
        assertEquals(SIZE, RxeElement.length(record, element));
    }

    @Test
    void shouldReadADatagram() throws IOException {
        MemorySegment send = RecordedCall.of(UD, "send").getFirst().bytes();
        assertEquals(512, RxeSendRecord.length(send, 0));
        assertEquals(0x11111111, RxeDatagramRequest.remoteQkey(send, 0));
        assertEquals(0x13, RxeDatagramRequest.remoteQpn(send, 0));
        assertTrue(RxeDatagramRequest.ahNum(send, 0) != 0, "addresses by number, ABI 2");
        MemorySegment region = commands(UD, UverbsCommand.REG_MR).getFirst();
        assertEquals(512 + 40, RegMrCommand.length(region, 0));
        assertEquals(RegMrCommand.start(region, 0) + 40, RxeElement.addr(send, RxeSendRecord.SGE_OFFSET));
        MemorySegment receive = RecordedCall.of(UD, "receive").getFirst().bytes();
        assertEquals(512 + 40, RxeReceiveRecord.length(receive, 0));
    }

    @Test
    void shouldReadAnAtomic() throws IOException {
        MemorySegment send = RecordedCall.of("ib_atomic_bw", "send").getFirst().bytes();
        assertEquals(5, RxeSendRecord.opcode(send, 0), "IBV_WR_ATOMIC_CMP_AND_SWP");
        assertEquals(0, RxeAtomicRequest.remoteAddr(send, 0) & 7);
        assertEquals(RxeSendRecord.iova(send, 0), RxeAtomicRequest.remoteAddr(send, 0));
        assertEquals(0, RxeAtomicRequest.compareAdd(send, 0));
        assertEquals(0, RxeAtomicRequest.swap(send, 0));
        assertTrue(RxeAtomicRequest.rkey(send, 0) != 0);
        assertEquals(8, RxeElement.length(send, RxeSendRecord.SGE_OFFSET));
    }

    /** rping's server reads 64 bytes from the address that the client sent it. */
    @Test
    void shouldReadARemoteRead() throws IOException {
        MemorySegment send = RecordedCall.of("rping -s", "send").getFirst().bytes();
        assertEquals(4, RxeSendRecord.opcode(send, 0), "IBV_WR_RDMA_READ");
        assertEquals(64, RxeSendRecord.length(send, 0));
        assertEquals(RxeSendRecord.iova(send, 0), RxeRdmaRequest.remoteAddr(send, 0));
        assertTrue(RxeRdmaRequest.rkey(send, 0) != 0);
    }
}
