// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.DatagramParameters;
import org.softrdma.verbs.cm.PortSpace;

/** Every number and text a C program would see, written down from rdma-core's headers, not from ours. */
class CNumbersTest {
    /** Enum constants as {@code NAME=value}, in declaration order. */
    private static <E extends Enum<E>> String numbers(Class<E> type, ToIntFunction<E> value) {
        return Arrays.stream(type.getEnumConstants()).map(each -> each.name() + "=" + value.applyAsInt(each))
            .collect(Collectors.joining(" "));
    }

    private static <E extends Enum<E>> String texts(Class<E> type, Function<E, String> text) {
        return Arrays.stream(type.getEnumConstants()).map(text).collect(Collectors.joining("|"));
    }

    /** {@code of} finds every constant by its number, and nothing at any other number. */
    private static <E extends Enum<E>> void checkLookup(Class<E> type, ToIntFunction<E> value, IntFunction<E> of) {
        Map<Integer, E> known = new TreeMap<>();
        for (E each : type.getEnumConstants()) {
            assertNull(known.put(value.applyAsInt(each), each), "two constants of " + type + " have one number");
        }
        for (int number = -2; number < 400; number++) {
            assertSame(known.get(number), of.apply(number), type.getSimpleName() + " " + number);
        }
        assertNull(of.apply(Integer.MAX_VALUE));
        assertNull(of.apply(Integer.MIN_VALUE));
    }

    /** The public int constants of a class of flags, in declaration order. */
    private static String flags(Class<?> type) {
        return Arrays.stream(type.getDeclaredFields())
            .filter(field -> Modifier.isPublic(field.getModifiers()) && field.getType() == int.class)
            .map(field -> field.getName() + "=0x" + Integer.toHexString(valueOf(field)))
            .collect(Collectors.joining(" "));
    }

    private static int valueOf(Field field) {
        try {
            return field.getInt(null);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldNumberCompletionStatusesLikeIbvWcStatus() {
        assertEquals("SUCCESS=0 LOC_LEN_ERR=1 LOC_QP_OP_ERR=2 LOC_EEC_OP_ERR=3 LOC_PROT_ERR=4 WR_FLUSH_ERR=5 MW_BIND_ERR=6 BAD_RESP_ERR=7 "
            + "LOC_ACCESS_ERR=8 REM_INV_REQ_ERR=9 REM_ACCESS_ERR=10 REM_OP_ERR=11 RETRY_EXC_ERR=12 RNR_RETRY_EXC_ERR=13 "
            + "LOC_RDD_VIOL_ERR=14 REM_INV_RD_REQ_ERR=15 REM_ABORT_ERR=16 INV_EECN_ERR=17 INV_EEC_STATE_ERR=18 FATAL_ERR=19 "
            + "RESP_TIMEOUT_ERR=20 GENERAL_ERR=21 TM_ERR=22 TM_RNDV_INCOMPLETE=23", numbers(WcStatus.class, WcStatus::value));
        assertEquals("success|local length error|local QP operation error|local EE context operation error|local protection error|"
            + "Work Request Flushed Error|memory management operation error|bad response error|local access error|"
            + "remote invalid request error|remote access error|remote operation error|transport retry counter exceeded|"
            + "RNR retry counter exceeded|local RDD violation error|remote invalid RD request|aborted error|invalid EE context number|"
            + "invalid EE context state|fatal error|response timeout error|general error|TM error|TM software rendezvous",
            texts(WcStatus.class, WcStatus::text));
        checkLookup(WcStatus.class, WcStatus::value, WcStatus::of);
    }

    @Test
    void shouldNumberCompletionOpcodesLikeIbvWcOpcode() {
        assertEquals("SEND=0 RDMA_WRITE=1 RDMA_READ=2 COMP_SWAP=3 FETCH_ADD=4 BIND_MW=5 LOCAL_INV=6 FLUSH=8 ATOMIC_WRITE=9 RECV=128 "
            + "RECV_RDMA_WITH_IMM=129", numbers(WcOpcode.class, WcOpcode::value));
        checkLookup(WcOpcode.class, WcOpcode::value, WcOpcode::of);
    }

    @Test
    void shouldNumberWorkRequestOpcodesLikeIbvWrOpcode() {
        assertEquals("RDMA_WRITE=0 RDMA_WRITE_WITH_IMM=1 SEND=2 SEND_WITH_IMM=3 RDMA_READ=4 ATOMIC_CMP_AND_SWP=5 ATOMIC_FETCH_AND_ADD=6 "
            + "LOCAL_INV=7 BIND_MW=8 SEND_WITH_INV=9 FLUSH=14 ATOMIC_WRITE=15", numbers(WrOpcode.class, WrOpcode::value));
        checkLookup(WrOpcode.class, WrOpcode::value, WrOpcode::of);
    }

    @Test
    void shouldNumberAsyncEventsLikeIbvEventType() {
        assertEquals("CQ_ERR=0 QP_FATAL=1 QP_REQ_ERR=2 QP_ACCESS_ERR=3 COMM_EST=4 SQ_DRAINED=5 PATH_MIG=6 PATH_MIG_ERR=7 DEVICE_FATAL=8 "
            + "PORT_ACTIVE=9 PORT_ERR=10 LID_CHANGE=11 PKEY_CHANGE=12 SM_CHANGE=13 SRQ_ERR=14 SRQ_LIMIT_REACHED=15 "
            + "QP_LAST_WQE_REACHED=16 CLIENT_REREGISTER=17 GID_CHANGE=18 WQ_FATAL=19",
            numbers(AsyncEventType.class, AsyncEventType::value));
        assertEquals("CQ error|local work queue catastrophic error|invalid request local work queue error|"
            + "local access violation work queue error|communication established|send queue drained|path migrated|"
            + "path migration request error|local catastrophic error|port active|port error|LID change|P_Key change|SM change|"
            + "SRQ catastrophic error|SRQ limit reached|last WQE reached|client reregistration|GID table change|WQ fatal",
            texts(AsyncEventType.class, AsyncEventType::text));
        checkLookup(AsyncEventType.class, AsyncEventType::value, AsyncEventType::of);
    }

    @Test
    void shouldNumberQueuePairsLikeIbvQpTypeAndState() {
        assertEquals("RC=2 UC=3 UD=4 XRC_SEND=9 XRC_RECV=10", numbers(QpType.class, QpType::value));
        assertEquals("RESET=0 INIT=1 RTR=2 RTS=3 SQD=4 SQE=5 ERR=6", numbers(QpState.class, QpState::value));
        checkLookup(QpType.class, QpType::value, QpType::of);
        checkLookup(QpState.class, QpState::value, QpState::of);
        assertEquals("RC|UC|UD|XRC_INI|XRC_TGT", texts(QpType.class, QpType::text));
        assertEquals("RESET|INIT|RTR|RTS|SQD|SQE|ERR", texts(QpState.class, QpState::text));
    }

    @Test
    void shouldNumberPortsAndNodesLikeTheirEnums() {
        assertEquals("NOP=0 DOWN=1 INIT=2 ARMED=3 ACTIVE=4 ACTIVE_DEFER=5", numbers(PortState.class, PortState::value));
        checkLookup(PortState.class, PortState::value, PortState::of);
        assertEquals("CA=1 RNIC=4", numbers(NodeType.class, NodeType::value));
        assertEquals("InfiniBand channel adapter|iWARP NIC", texts(NodeType.class, NodeType::text));
        assertEquals("INFINIBAND=0 IWARP=1", numbers(Transport.class, Transport::value));
        assertEquals("InfiniBand|iWARP", texts(Transport.class, Transport::text));
        assertEquals("IB=0 ROCE_V1=1 ROCE_V2=2", numbers(GidType.class, GidType::value));
        assertEquals("RoCE v2", GidType.ROCE_V2.text());
    }

    @Test
    void shouldNumberMtusLikeIbvMtu() {
        assertEquals("MTU_256=1 MTU_512=2 MTU_1024=3 MTU_2048=4 MTU_4096=5", numbers(Mtu.class, Mtu::value));
        checkLookup(Mtu.class, Mtu::value, Mtu::of);
        assertEquals("MTU_256=256 MTU_512=512 MTU_1024=1024 MTU_2048=2048 MTU_4096=4096", numbers(Mtu.class, Mtu::bytes));
        for (int bytes = 0; bytes < 10_000; bytes++) {
            Mtu mtu = Mtu.ofBytes(bytes);
            boolean exists = bytes == 256 || bytes == 512 || bytes == 1024 || bytes == 2048 || bytes == 4096;
            assertEquals(exists ? bytes : -1, mtu == null ? -1 : mtu.bytes());
        }
    }

    @Test
    void shouldUseLinuxErrnoNumbersAndTexts() {
        assertEquals("EPERM=1 ENOENT=2 ESRCH=3 EINTR=4 EIO=5 ENXIO=6 E2BIG=7 EBADF=9 EAGAIN=11 ENOMEM=12 EACCES=13 EFAULT=14 "
            + "EBUSY=16 EEXIST=17 ENODEV=19 EINVAL=22 EMFILE=24 ENOTTY=25 ENOSPC=28 ENOSYS=38 ENODATA=61 EPROTO=71 EPROTONOSUPPORT=93 "
            + "EOPNOTSUPP=95 EADDRINUSE=98 EADDRNOTAVAIL=99 ENETUNREACH=101 "
            + "ECONNRESET=104 ENOTCONN=107 ETIMEDOUT=110 ECONNREFUSED=111 EHOSTUNREACH=113", numbers(Errno.class, Errno::value));
        assertEquals("Invalid argument", Errno.EINVAL.text());
        assertEquals("Too many open files", Errno.EMFILE.text());
        assertEquals("Cannot allocate memory", Errno.ENOMEM.text());
        assertEquals("Device or resource busy", Errno.EBUSY.text());
        assertEquals("Operation not supported", Errno.EOPNOTSUPP.text());
        assertEquals("No route to host", Errno.EHOSTUNREACH.text());
    }

    @Test
    void shouldUseTheBitsOfTheCFlags() {
        assertEquals("LOCAL_WRITE=0x1 REMOTE_WRITE=0x2 REMOTE_READ=0x4 REMOTE_ATOMIC=0x8 MW_BIND=0x10 ZERO_BASED=0x20 ON_DEMAND=0x40 "
            + "HUGETLB=0x80 FLUSH_GLOBAL=0x100 FLUSH_PERSISTENT=0x200 RELAXED_ORDERING=0x100000 REMOTE_ANY=0xe FLUSH_ANY=0x300 "
            + "OPTIONAL_RANGE=0x3ff00000", flags(AccessFlags.class));
        assertEquals("FENCE=0x1 SIGNALED=0x2 SOLICITED=0x4 INLINE=0x8 IP_CSUM=0x10", flags(SendFlags.class));
        assertEquals("GLOBAL=0x1 PERSISTENT=0x2 RANGE=0x0 REGION=0x1", flags(FlushFlags.class));
        assertEquals("TRANSLATION=0x1 PD=0x2 ACCESS=0x4", flags(Reregistration.class));
        assertEquals("TYPE_1=1 TYPE_2=2", numbers(MemoryWindow.Type.class, MemoryWindow.Type::value));
        assertEquals("RDMA_WRITE=0x1 RDMA_WRITE_WITH_IMM=0x2 SEND=0x4 SEND_WITH_IMM=0x8 RDMA_READ=0x10 ATOMIC_CMP_AND_SWP=0x20 "
            + "ATOMIC_FETCH_AND_ADD=0x40 LOCAL_INV=0x80 BIND_MW=0x100 SEND_WITH_INV=0x200 TSO=0x400 FLUSH=0x800 ATOMIC_WRITE=0x1000",
            flags(SendOps.class));
        assertEquals("GRH=0x1 WITH_IMM=0x2 IP_CSUM_OK=0x4 WITH_INV=0x8", flags(WcFlags.class));
    }

    @Test
    void shouldFindTheFlagOfEachOperation() throws ReflectiveOperationException {
        for (WrOpcode opcode : WrOpcode.values()) {
            assertEquals(SendOps.class.getField(opcode.name()).getInt(null), SendOps.of(opcode), opcode.name());
        }
    }

    @Test
    void shouldUseTheBitsOfIbvQpAttrMask() {
        assertEquals("STATE=0x1 CUR_STATE=0x2 EN_SQD_ASYNC_NOTIFY=0x4 ACCESS_FLAGS=0x8 PKEY_INDEX=0x10 PORT=0x20 QKEY=0x40 AV=0x80 "
            + "PATH_MTU=0x100 TIMEOUT=0x200 RETRY_CNT=0x400 RNR_RETRY=0x800 RQ_PSN=0x1000 MAX_QP_RD_ATOMIC=0x2000 ALT_PATH=0x4000 "
            + "MIN_RNR_TIMER=0x8000 SQ_PSN=0x10000 MAX_DEST_RD_ATOMIC=0x20000 PATH_MIG_STATE=0x40000 CAP=0x80000 DEST_QPN=0x100000",
            flags(QpAttributeMask.class));
    }

    @Test
    void shouldUseTheNumbersAndTextsOfLibrdmacm() {
        assertEquals("ADDR_RESOLVED=0 ADDR_ERROR=1 ROUTE_RESOLVED=2 ROUTE_ERROR=3 CONNECT_REQUEST=4 CONNECT_RESPONSE=5 CONNECT_ERROR=6 "
            + "UNREACHABLE=7 REJECTED=8 ESTABLISHED=9 DISCONNECTED=10 DEVICE_REMOVAL=11 MULTICAST_JOIN=12 MULTICAST_ERROR=13 "
            + "ADDR_CHANGE=14 TIMEWAIT_EXIT=15", numbers(CmEventType.class, CmEventType::value));
        assertEquals("RDMA_CM_EVENT_CONNECT_REQUEST", CmEventType.CONNECT_REQUEST.text());
        checkLookup(CmEventType.class, CmEventType::value, CmEventType::of);
        assertEquals("IPOIB=2 TCP=262 UDP=273 IB=319", numbers(PortSpace.class, PortSpace::value));
        checkLookup(PortSpace.class, PortSpace::value, PortSpace::of);
        assertEquals("MAX=0xff MAX_RETRIES=0x7", flags(ConnectionParameters.class));
        assertEquals("UDP_QKEY=0x1234567 GROUP_QPN=0xffffff", flags(DatagramParameters.class));
    }

    @Test
    void shouldFindAnErrnoByItsNumber() {
        checkLookup(Errno.class, Errno::value, Errno::of);
    }

    @Test
    void shouldNameTheBitsOfAMask() {
        assertEquals("", QpAttributeMask.names(0));
        assertEquals("STATE", QpAttributeMask.names(1));
        assertEquals("STATE, PORT, DEST_QPN", QpAttributeMask.names(0x100021));
        assertEquals("DEST_QPN, 0xffe00000", QpAttributeMask.names(0xfff00000));
        assertEquals("0x80000000", QpAttributeMask.names(Integer.MIN_VALUE));
    }
}
