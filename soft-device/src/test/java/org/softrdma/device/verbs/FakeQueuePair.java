// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.util.concurrent.atomic.AtomicInteger;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WrOpcode;

/** A queue pair without a protocol machine: the test sets the state and reads the rings. */
final class FakeQueuePair extends SoftQueuePair {
    final AtomicInteger doorbells = new AtomicInteger();
    volatile QpState state = QpState.RESET;
    int destroyed;

    private final int qpn;

    FakeQueuePair(SoftProtectionDomain pd, QpInitAttributes init, int qpn) {
        super(pd, init);
        this.qpn = qpn;
    }

    @Override
    public int qpNum() {
        return qpn;
    }

    @Override
    protected QpState current() {
        return state;
    }

    @Override
    protected boolean supports(SendRequest request) {
        return request.opcode() != WrOpcode.FLUSH;
    }

    @Override
    protected void doorbell(boolean wasIdle) {
        doorbells.incrementAndGet();
    }

    @Override
    public void modify(QpAttributes attributes) {
        state = attributes.state();
    }

    @Override
    protected QpAttributes attributes() {
        return new QpAttributes().state(state);
    }

    @Override
    protected void destroy() {
        destroyed++;
    }
}
