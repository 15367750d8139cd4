// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import java.util.concurrent.atomic.AtomicReference;
import org.softrdma.linux.process.Notification;
import org.softrdma.linux.process.PendingSignals;
import org.softrdma.linux.process.ProcessInfo;

/** A trapped ioctl or write on one of our files, from its dispatch to its answer. */
final class Call implements TrappedCall {
    private final Supervisor supervisor;
    private final Client client;
    private final long id;
    private final int tid;
    private final int descriptor;
    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.OPEN);

    private enum Stage {
        OPEN, CLAIMED, ANSWERED
    }

    Call(Supervisor supervisor, Client client, Notification notification) {
        this.supervisor = supervisor;
        this.client = client;
        id = notification.id();
        tid = notification.tid();
        descriptor = notification.intArgument(0);
    }

    @Override
    public ClientProcess process() {
        return client;
    }

    @Override
    public int thread() {
        return tid;
    }

    @Override
    public int descriptor() {
        return descriptor;
    }

    @Override
    public DeviceFile file(int descriptor) {
        OpenFiles.Entry entry = supervisor.entry(tid, descriptor);
        return entry == null ? null : entry.file;
    }

    @Override
    public boolean isNonBlocking(int descriptor) {
        return ProcessInfo.isNonBlocking(tid, descriptor);
    }

    @Override
    public int give(DeviceFile file) {
        return supervisor.give(file, client, id, tid);
    }

    @Override
    public void admitSignals() {
        supervisor.signals().add(this);
    }

    @Override
    public boolean claim() {
        return stage.compareAndSet(Stage.OPEN, Stage.CLAIMED) && supervisor.isValid(id);
    }

    @Override
    public boolean isPending() {
        return stage.get() == Stage.OPEN && supervisor.isValid(id);
    }

    @Override
    public boolean answer(long result) {
        return stage.getAndSet(Stage.ANSWERED) != Stage.ANSWERED && supervisor.answer(id, result);
    }

    /** Ends the call if a signal waits for its thread; returns whether it has ended, for this or another reason. */
    boolean endBySignal() {
        if (!isPending()) {
            return true;
        }
        int errno = PendingSignals.errno(client.pid(), tid);
        return errno != PendingSignals.NONE && stage.compareAndSet(Stage.OPEN, Stage.ANSWERED) && supervisor.answer(id, -errno);
    }
}
