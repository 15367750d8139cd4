// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.util.concurrent.locks.ReentrantLock;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.ProtectionDomain;

/** A memory window of a soft device. */
final class SoftMemoryWindow implements MemoryWindow {
    private final SoftProtectionDomain pd;
    private final Type type;
    /** Changed by binds of type 1 windows, with the window's monitor held. */
    private volatile int rkey;
    private volatile boolean closed;

    SoftMemoryWindow(SoftProtectionDomain pd, Type type, int rkey) {
        this.pd = pd;
        this.type = type;
        this.rkey = rkey;
        pd.children.add("memory windows");
        pd.softContext().living.add(this);
    }

    @Override
    public ProtectionDomain pd() {
        return pd;
    }

    @Override
    public Type type() {
        return type;
    }

    @Override
    public int rkey() {
        return rkey;
    }

    /**
     * Sets the key of a bind that was just posted.
     *
     * @param bound the new R_Key
     */
    void rkey(int bound) {
        rkey = bound;
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        ReentrantLock owner = pd.softContext().agent().lock();
        owner.lock();
        try {
            if (!closed) {
                pd.softContext().memory().remove(rkey);
                closed = true;
                pd.children.remove("memory windows");
                pd.softContext().living.remove(this);
            }
        } finally {
            owner.unlock();
        }
    }

    @Override
    public String toString() {
        return "mw " + type + ", rkey 0x" + Integer.toHexString(rkey);
    }
}
