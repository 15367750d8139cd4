// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.util.LinkedHashMap;
import java.util.Map;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;

/**
 * The last failure of each queue pair of a device, from which completions get the values of their reasons when they are polled. That of a
 * destroyed queue pair is kept, because its completions may be polled later. Any thread.
 */
final class RecentFailures {
    /** Queue pairs whose failures are kept; of others, completions have the reason without its values. */
    static final int MAX_QUEUE_PAIRS = 1024;

    private final Map<Integer, Failure> byQpn = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Failure> eldest) {
            return size() > MAX_QUEUE_PAIRS;
        }
    };

    /** Keeps a failure in place of an earlier one of the same queue pair. */
    synchronized void add(int qpn, Failure why) {
        byQpn.remove(qpn);
        byQpn.put(qpn, why);
    }

    /**
     * Adds the values to failed completions.
     *
     * @param count completions that are set
     */
    void explain(WorkCompletion[] completions, int count) {
        for (int i = 0; i < count; i++) {
            if (!completions[i].isSuccess()) {
                completions[i].explain(find(completions[i].qpNum(), completions[i].vendorError()));
            }
        }
    }

    /** Finds the failure with a code; without values if another one came later. Null for a code that is none. */
    private synchronized Failure find(int qpn, int code) {
        Failure last = byQpn.get(qpn);
        if (last != null && last.code() == code) {
            return last;
        }
        Reason reason = Reason.of(code);
        if (reason == null) {
            return null;
        }
        Failure plain = Failure.of(reason);
        return reason == Reason.FLUSHED && last != null ? plain.after(last) : plain;
    }
}
