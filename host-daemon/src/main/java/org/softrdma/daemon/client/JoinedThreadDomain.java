// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import org.softrdma.verbs.Context;
import org.softrdma.verbs.ThreadDomain;

/** A thread domain: a promise of the application, which this provider does not rely on. */
final class JoinedThreadDomain extends JoinedObject implements ThreadDomain {
    private static final int NO_HANDLE = 0;

    JoinedThreadDomain(JoinedContext context) {
        super(context, "thread domain");
        created(NO_HANDLE);
    }

    @Override
    public Context context() {
        return joinedContext();
    }

    @Override
    void destroy(int handle) {
        // The daemon does not know it.
    }

    @Override
    String destroyVerb() {
        return "dealloc_td";
    }
}
