// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs.provider;

import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.util.Set;

/**
 * Ends a thread's wait in native code when the thread is interrupted. Java calls back at an interrupt only for a thread that waits on a
 * channel or a selector; this is a selector for that alone, without channels. One thread at a time.
 */
public final class Interruption extends AbstractSelector {
    private final Runnable endWait;

    /** @param endWait ends the current or next wait, from any thread; may be called when there is none */
    public Interruption(Runnable endWait) {
        super(null);
        this.endWait = endWait;
    }

    /** The calling thread is about to wait. Ends the wait at once if the thread is interrupted already. */
    public void beginWait() {
        begin();
    }

    /** The calling thread waits no longer. */
    public void endWait() {
        end();
    }

    @Override
    public Selector wakeup() {
        endWait.run();
        return this;
    }

    @Override
    protected void implCloseSelector() {
    }

    @Override
    protected SelectionKey register(AbstractSelectableChannel channel, int operations, Object attachment) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Set<SelectionKey> keys() {
        return Set.of();
    }

    @Override
    public Set<SelectionKey> selectedKeys() {
        return Set.of();
    }

    @Override
    public int selectNow() {
        throw new UnsupportedOperationException();
    }

    @Override
    public int select(long timeoutMs) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int select() {
        throw new UnsupportedOperationException();
    }
}
