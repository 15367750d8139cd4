// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.util.ArrayList;
import java.util.List;
import org.softrdma.host.config.NetDevice;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QueuePair;

/** A device on the loopback interface, and connection ends on it, each with a completion queue of its own. */
final class LoopbackDevice implements AutoCloseable {
    private static final int DEPTH = 64;

    /** Resources to close, in the order they were opened. */
    private final List<Runnable> opened = new ArrayList<>();
    private final Context context;
    private final ProtectionDomain pd;

    LoopbackDevice(String name, MpaOptions options) {
        String lo = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow().name();
        context = Siw.device(name, lo, options).open();
        opened.add(context::close);
        pd = context.allocatePd();
        opened.add(pd::close);
    }

    /** Creates an end with a queue pair in INIT. */
    CmEnd newEnd() {
        CompletionQueue cq = context.createCq(4 * DEPTH);
        opened.add(cq::close);
        QueuePair qp = pd.createQp(QpInitAttributes.rc(cq, new QpCapabilities(DEPTH, DEPTH, 1, 1, DEPTH)));
        opened.add(qp::close);
        qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1));
        CmEnd end = new CmEnd(qp);
        opened.add(end::close);
        return end;
    }

    long counter(String name) {
        return context.counters().get(name);
    }

    /** Returns the number of accepted connections that have not sent a complete request yet. */
    int halfOpen() {
        SiwContext siw = (SiwContext) context;
        siw.agent().lock().lock();
        try {
            return siw.running().cm().halfOpen().count();
        } finally {
            siw.agent().lock().unlock();
        }
    }

    @Override
    public void close() {
        opened.reversed().forEach(Runnable::run);
    }
}
