// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.findings;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * The findings of all strict devices in this process. Each is logged as a warning. A rule that is violated again and again at one place of
 * the program is one finding. Any thread.
 */
public final class Findings {
    /** Further findings are only counted. */
    private static final int MAX = 1000;
    private static final System.Logger LOG = System.getLogger(Findings.class.getName());
    private static final List<Finding> ALL = new ArrayList<>();
    private static final Set<String> KNOWN = new HashSet<>();
    private static final List<Consumer<Finding>> LISTENERS = new CopyOnWriteArrayList<>();
    private static long dropped;

    private Findings() {
    }

    /** {@return the findings since the start of the process, or {@link #clear}, oldest first; at most 1000} */
    public static List<Finding> all() {
        synchronized (ALL) {
            return List.copyOf(ALL);
        }
    }

    /** Forgets all findings; a call that was found before is found again. */
    public static void clear() {
        synchronized (ALL) {
            ALL.clear();
            KNOWN.clear();
            dropped = 0;
        }
    }

    /** {@return the number of findings that were dropped because there were 1000 already} */
    public static long dropped() {
        synchronized (ALL) {
            return dropped;
        }
    }

    /**
     * Has further findings reported, in addition to the log.
     *
     * @param listener called by any thread, often with locks held; must not block or call a device
     * @return ends that
     */
    public static AutoCloseable listen(Consumer<Finding> listener) {
        LISTENERS.add(listener);
        return () -> LISTENERS.remove(listener);
    }

    /**
     * Adds a finding, unless the same rule was violated at the same place before. Called by strict devices.
     *
     * @param finding new or known
     */
    public static void add(Finding finding) {
        synchronized (ALL) {
            if (KNOWN.size() == 2 * MAX || !KNOWN.add(finding.rule() + " " + finding.device() + " " + finding.place())) {
                return;
            }
            if (ALL.size() == MAX) {
                dropped++;
                return;
            }
            ALL.add(finding);
        }
        LOG.log(System.Logger.Level.WARNING, finding.toString());
        LISTENERS.forEach(listener -> listener.accept(finding));
    }
}
