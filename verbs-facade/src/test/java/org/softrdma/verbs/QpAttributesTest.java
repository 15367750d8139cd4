// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class QpAttributesTest {
    private static final AddressVector AV = AddressVector.to(Gid.ofIpv4(0x0a000002), 1);

    private record Attribute(int bit, Object value, Function<QpAttributes, QpAttributes> set, Function<QpAttributes, Object> get) {
    }

    static Stream<Attribute> attributes() {
        return Stream.of(
            new Attribute(0, QpState.RTR, qp -> qp.state(QpState.RTR), QpAttributes::state),
            new Attribute(1, QpState.RTS, qp -> qp.curState(QpState.RTS), QpAttributes::curState),
            new Attribute(2, true, qp -> qp.sqdAsyncNotify(true), QpAttributes::sqdAsyncNotify),
            new Attribute(3, 7, qp -> qp.accessFlags(7), QpAttributes::accessFlags),
            new Attribute(4, 2, qp -> qp.pkeyIndex(2), QpAttributes::pkeyIndex),
            new Attribute(5, 1, qp -> qp.port(1), QpAttributes::port),
            new Attribute(6, 0x80010000, qp -> qp.qkey(0x80010000), QpAttributes::qkey),
            new Attribute(7, AV, qp -> qp.addressVector(AV), QpAttributes::addressVector),
            new Attribute(8, Mtu.MTU_2048, qp -> qp.pathMtu(Mtu.MTU_2048), QpAttributes::pathMtu),
            new Attribute(9, 14, qp -> qp.timeout(14), QpAttributes::timeout),
            new Attribute(10, 6, qp -> qp.retryCount(6), QpAttributes::retryCount),
            new Attribute(11, 5, qp -> qp.rnrRetry(5), QpAttributes::rnrRetry),
            new Attribute(12, 0xffffff, qp -> qp.rqPsn(0xffffff), QpAttributes::rqPsn),
            new Attribute(13, 16, qp -> qp.maxRdAtomic(16), QpAttributes::maxRdAtomic),
            new Attribute(15, 12, qp -> qp.minRnrTimer(12), QpAttributes::minRnrTimer),
            new Attribute(16, 0xfffffe, qp -> qp.sqPsn(0xfffffe), QpAttributes::sqPsn),
            new Attribute(17, 8, qp -> qp.maxDestRdAtomic(8), QpAttributes::maxDestRdAtomic),
            new Attribute(20, 0x11, qp -> qp.destQpn(0x11), QpAttributes::destQpn));
    }

    @ParameterizedTest
    @MethodSource("attributes")
    void shouldMarkExactlyWhatWasSet(Attribute attribute) {
        QpAttributes qp = new QpAttributes();
        assertEquals(0, qp.mask());
        assertSame(qp, attribute.set.apply(qp));
        assertEquals(1 << attribute.bit, qp.mask());
        assertEquals(attribute.value, attribute.get.apply(qp));
        assertTrue(qp.has(1 << attribute.bit));
        assertFalse(qp.has(1 << attribute.bit | 1 << 19), "has() asks for all bits");
        attribute.set.apply(qp);
        assertEquals(1 << attribute.bit, qp.mask(), "setting twice");
    }

    @Test
    void shouldKeepAttributesApart() {
        QpAttributes qp = new QpAttributes();
        List<Attribute> all = attributes().toList();
        all.forEach(attribute -> attribute.set.apply(qp));
        all.forEach(attribute -> assertEquals(attribute.value, attribute.get.apply(qp)));
        assertEquals(0x13bfff, qp.mask());
    }

    @ParameterizedTest
    @MethodSource("attributes")
    void shouldTakeOverExactlyWhatIsSet(Attribute changed) {
        QpAttributes qp = new QpAttributes();
        attributes().filter(attribute -> attribute.bit != changed.bit).forEach(attribute -> attribute.set.apply(qp));
        int before = qp.mask();
        assertSame(qp, qp.merge(new QpAttributes()));
        assertEquals(before, qp.mask(), "nothing to take over");
        qp.merge(changed.set.apply(new QpAttributes()));
        attributes().forEach(attribute -> assertEquals(attribute.value, attribute.get.apply(qp), "bit " + attribute.bit));
        assertEquals(before | 1 << changed.bit, qp.mask());
    }

    @Test
    void shouldMarkZeroAsSet() {
        assertEquals(1 << 16, new QpAttributes().sqPsn(0).mask());
        assertEquals(1 << 2, new QpAttributes().sqdAsyncNotify(false).mask());
    }
}
