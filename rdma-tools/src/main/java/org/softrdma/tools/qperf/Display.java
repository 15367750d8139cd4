// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

/** Form in which results are shown. */
final class Display {
    static final int NEVER = 0;
    static final int MORE = 1;
    static final int MOST = 2;

    /** Significant digits. */
    int precision = 3;
    boolean bits;
    boolean unifyNodes;
    boolean unifyUnits;
    boolean debug;
    /** Each {@link #NEVER}, {@link #MORE} or {@link #MOST}. */
    int statistics;
    int times;
    int used;

    /** @param option the name of a verbose option: v or vv, alone or with one of c, s, t and u behind it */
    void verbose(String option) {
        int level = option.startsWith("-vv") ? MOST : MORE;
        String what = option.substring(1 + level);
        boolean all = what.isEmpty();
        statistics = all || what.equals("s") ? raised(all, statistics, level) : statistics;
        times = all || what.equals("t") ? raised(all, times, level) : times;
        used = all || what.equals("u") ? raised(all, used, level) : used;
    }

    /** Raises levels: an option for one group sets it, -v alone never lowers one. */
    private static int raised(boolean all, int now, int level) {
        return all ? Math.max(now, level) : level;
    }
}
