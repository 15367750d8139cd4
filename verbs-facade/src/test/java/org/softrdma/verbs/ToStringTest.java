// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.cm.DatagramParameters;

/** Texts of objects in logs and debuggers: names of the C structures, numbers unsigned, and hexadecimal where C tools print them so. */
class ToStringTest {
    private static final AddressVector VECTOR = AddressVector.to(Gid.ofIpv4(0x0a000002), 1);

    @Test
    void shouldShowOnlyAttributesThatAreSet() {
        assertEquals("nothing set", new QpAttributes().toString());
        assertEquals("qp_state INIT, qp_access_flags REMOTE_WRITE|REMOTE_READ, pkey_index 0, port_num 1, qkey 0x80010000",
            new QpAttributes().qkey(0x80010000).port(1).state(QpState.INIT).pkeyIndex(0)
                .accessFlags(AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE).toString());
        assertEquals("qp_state RTR, ah_attr {dgid ::ffff:10.0.0.2, sgid_index 1, flow_label 0x0, hop_limit 64, traffic_class 0x0, sl 0,"
            + " port_num 1}, path_mtu 1024, rq_psn 0xfffffe, min_rnr_timer 12, max_dest_rd_atomic 16, dest_qp_num 0x11",
            new QpAttributes().state(QpState.RTR).addressVector(VECTOR).pathMtu(Mtu.MTU_1024).rqPsn(0xfffffe).minRnrTimer(12)
                .maxDestRdAtomic(16).destQpn(0x11).toString());
        assertEquals("cur_qp_state RTS, en_sqd_async_notify true, timeout 14, retry_cnt 7, rnr_retry 6, max_rd_atomic 4, sq_psn 0xabc",
            new QpAttributes().curState(QpState.RTS).sqdAsyncNotify(true).timeout(14).retryCount(7).rnrRetry(6).maxRdAtomic(4).sqPsn(0xabc)
                .toString());
    }

    @Test
    void shouldShowWhatAnOperationUses() {
        SendRequest wr = new SendRequest();
        assertEquals("wr_id 0 SEND", wr.toString());
        assertEquals("wr_id 18446744073709551615 RDMA_WRITE, remote_addr 0xffff800000001000, rkey 0x80001234,"
            + " sge 0x7f0000000000+4096 lkey 0x55, sge 0x0+4294967295 lkey 0xffffffff, FENCE|SIGNALED",
            wr.write(0xffff800000001000L, 0x80001234).wrId(-1).element(0x7f0000000000L, 4096, 0x55).element(0, -1, -1).signaled().fence()
                .toString());
        assertEquals("wr_id 0 RDMA_WRITE_WITH_IMM, remote_addr 0x10, rkey 0x2, imm_data 0xcafebabe",
            wr.writeWithImmediate(0x10, 2, 0xcafebabe).toString());
        assertEquals("wr_id 0 RDMA_READ, remote_addr 0x10, rkey 0x2", wr.read(0x10, 2).toString());
        assertEquals("wr_id 0 SEND_WITH_IMM, imm_data 0x7, sge inline 5, INLINE",
            wr.sendWithImmediate(7).inlineData(MemorySegment.ofArray(new byte[5])).toString());
        assertEquals("wr_id 0 SEND_WITH_INV, invalidate_rkey 0xabcd", wr.sendWithInvalidate(0xabcd).toString());
        assertEquals("wr_id 0 LOCAL_INV, invalidate_rkey 0xabcd", wr.localInvalidate(0xabcd).toString());
        assertEquals("wr_id 0 ATOMIC_CMP_AND_SWP, remote_addr 0x8, rkey 0x2, compare 0xffffffffffffffff, swap 0x1",
            wr.compareAndSwap(8, 2, -1, 1).toString());
        assertEquals("wr_id 0 ATOMIC_FETCH_AND_ADD, remote_addr 0x8, rkey 0x2, add 0xfffffffffffffffe", wr.fetchAndAdd(8, 2, -2)
            .toString());
        assertEquals("wr_id 0 ATOMIC_WRITE, remote_addr 0x8, rkey 0x2", wr.atomicWrite(8, 2).toString());
        assertEquals("wr_id 0 FLUSH, remote_addr 0x8, rkey 0x2, length 4294967295, placement 3, selectivity 1",
            wr.flush(8, 2, -1, FlushFlags.GLOBAL | FlushFlags.PERSISTENT, FlushFlags.REGION).toString());
        assertEquals("wr_id 0 BIND_MW, rkey 0x1f00, length 64, access REMOTE_WRITE, sge 0x1000+0 lkey 0x1e00",
            wr.bindWindow(0x1f00, 0x1e00, 0x1000, 64, AccessFlags.REMOTE_WRITE).toString());
        assertEquals("wr_id 0 SEND, remote_srqn 0xffffff", wr.send().toSrq(0xffffff).toString());
        assertEquals("wr_id 0 SEND, ah {" + VECTOR + "}, remote_qpn 0xffffff, remote_qkey 0x80010000",
            wr.send().to(handle(), 0xffffff, 0x80010000).toString());
    }

    private static AddressHandle handle() {
        return new AddressHandle() {
            @Override
            public ProtectionDomain pd() {
                return null;
            }

            @Override
            public AddressVector vector() {
                return VECTOR;
            }

            @Override
            public void close() {
            }
        };
    }

    @Test
    void shouldShowReceives() {
        assertEquals("wr_id 9223372036854775808", new ReceiveRequest().begin(Long.MIN_VALUE).toString());
        assertEquals("wr_id 3, sge 0x20+64 lkey 0x77", new ReceiveRequest().begin(3).element(0x20, 64, 0x77).toString());
    }

    @Test
    void shouldShowWhatAReregistrationChanges() {
        assertEquals("nothing set", new Reregistration().toString());
        assertEquals("access LOCAL_WRITE", new Reregistration().access(AccessFlags.LOCAL_WRITE).toString());
        MemorySegment memory = MemorySegment.ofAddress(0x1000).reinterpret(64);
        assertEquals("memory " + memory + ", iova 0xffffffffffff0000, access 0",
            new Reregistration().memory(memory, -0x10000).access(0).toString());
    }

    @Test
    void shouldShowAddressesAndSizes() {
        assertEquals("dgid fe80::1, sgid_index 3, flow_label 0xfffff, hop_limit 255, traffic_class 0x2, sl 7, port_num 2",
            AddressVector.to(new Gid(0xfe80L << 48, 1), 3).withFlowLabel(0xfffff).withHopLimit(255).withTrafficClass(2).withSl(7)
                .withPort(2).toString());
        assertEquals("max_send_wr 16, max_recv_wr 17, max_send_sge 2, max_recv_sge 3, max_inline_data 64",
            QpCapabilities.MINIMAL.withMaxSendWr(16).withMaxRecvWr(17).withMaxSendSge(2).withMaxRecvSge(3).withMaxInlineData(64)
                .toString());
        assertEquals("qp 0xffffff, qkey 0x80010000, ah {" + VECTOR + "}, private data [0102]",
            new DatagramParameters(new byte[] {1, 2, 0, 0}, VECTOR, 0xffffff, 0x80010000).toString());
        assertEquals("qp 0x0, qkey 0x0, private data []", new DatagramParameters(new byte[4], null, 0, 0).toString());
    }

    @Test
    void shouldNameFlags() {
        assertEquals("0", AccessFlags.names(0));
        assertEquals("LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC|MW_BIND|ZERO_BASED|ON_DEMAND|HUGETLB|FLUSH_GLOBAL"
            + "|FLUSH_PERSISTENT", AccessFlags.names(0x3ff));
        assertEquals("RELAXED_ORDERING|0x80000400", AccessFlags.names(AccessFlags.RELAXED_ORDERING | 1 << 31 | 1 << 10));
        assertEquals("0", SendFlags.names(0));
        assertEquals("FENCE|SIGNALED|SOLICITED|INLINE|IP_CSUM|0x20", SendFlags.names(0x3f));
    }

    /** Each wither changes the component that it names, and no other. */
    @Test
    void shouldChangeOneComponentAtATime() {
        assertEquals(new QpCapabilities(2, 3, 4, 5, 6), QpCapabilities.MINIMAL.withMaxInlineData(6).withMaxRecvSge(5).withMaxSendSge(4)
            .withMaxRecvWr(3).withMaxSendWr(2));
        assertEquals(new AddressVector(VECTOR.dgid(), 1, 2, 3, 4, 5, 6),
            VECTOR.withPort(6).withSl(5).withTrafficClass(4).withHopLimit(3).withFlowLabel(2));
        QpCapabilities cap = QpCapabilities.MINIMAL;
        assertEquals(new QpInitAttributes(QpType.UC, null, null, null, cap, true),
            QpInitAttributes.of(QpType.RC, null, null).withSignalAll(true).withCap(cap).withSrq(null).withRecvCq(null).withSendCq(null)
                .withType(QpType.UC));
        assertEquals(QpInitAttributes.rc(null, cap), QpInitAttributes.of(QpType.RC, null, cap));
    }
}
