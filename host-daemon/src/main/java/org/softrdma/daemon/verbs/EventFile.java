// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import org.softrdma.daemon.trap.DeviceFile;
import org.softrdma.linux.process.EventPipe;
import org.softrdma.linux.process.FileIdentity;

/**
 * An event file of a context: a pipe that the program reads records from. Events beyond {@link EventPipe#CAPACITY_BYTES} are lost:
 * a program that reads none of so many will not miss the next one.
 */
abstract class EventFile implements DeviceFile {
    private final UverbsFile context;
    private final EventPipe pipe = new EventPipe();

    EventFile(UverbsFile context) {
        this.context = context;
    }

    final UverbsFile context() {
        return context;
    }

    final EventPipe pipe() {
        return pipe;
    }

    @Override
    public final Kind kind() {
        return Kind.EVENTS;
    }

    @Override
    public final int descriptor() {
        return pipe.reader();
    }

    @Override
    public final void given() {
        pipe.closeReader();
    }

    @Override
    public final FileIdentity identity() {
        return pipe.identity();
    }

    @Override
    public final int lastCloseDescriptor() {
        return pipe.writer();
    }

    @Override
    public final void closed() {
        pipe.close();
        context.onClosed(this);
    }
}
