// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.service;

import java.nio.file.Path;
import org.softrdma.daemon.trap.DescriptorNumbers;
import org.softrdma.daemon.trap.Supervisor;
import org.softrdma.linux.process.ProcessMemory;
import org.softrdma.linux.process.SeccompListener;

/** Calls of a program are answered by this process, on an adapter of its own. */
public final class PrivateAnswering implements CallAnswering {
    private final Adapter adapter;
    private Supervisor supervisor;

    /**
     * Creates the adapter.
     *
     * @param state the user's state directory
     * @throws org.softrdma.verbs.VerbsException as {@link Adapter}
     */
    public PrivateAnswering(Path state) {
        adapter = new Adapter(state);
    }

    @Override
    public void answer(SeccompListener listener, long limit) {
        supervisor = adapter.serve(listener, DescriptorNumbers.of(limit), ProcessMemory::open, () -> { });
    }

    @Override
    public void close() {
        if (supervisor != null) {
            supervisor.close();
        }
        adapter.close();
    }
}
