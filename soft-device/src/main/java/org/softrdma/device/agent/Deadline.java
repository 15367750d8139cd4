// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.agent;

/**
 * The one rule for times and deadlines: nanoseconds of one monotonic clock whose origin means nothing, so that a time may be negative.
 * Two times are compared by their difference, as {@link System#nanoTime} demands. {@link #NEVER} is not a time, and these methods are
 * what handles it: no other code subtracts from a deadline that may be NEVER, or compares it with {@code <} or {@link Math#min}.
 */
public final class Deadline {
    /** No deadline. */
    public static final long NEVER = Long.MAX_VALUE;

    private Deadline() {
    }

    /** Whether the deadline is reached. */
    public static boolean isDue(long deadlineNs, long nowNs) {
        return deadlineNs != NEVER && deadlineNs - nowNs <= 0;
    }

    /** Whether {@code oneNs} is before {@code otherNs}; everything is before {@link #NEVER}. */
    public static boolean isBefore(long oneNs, long otherNs) {
        return oneNs != NEVER && (otherNs == NEVER || oneNs - otherNs < 0);
    }

    /** The earlier of two deadlines. */
    public static long earlier(long oneNs, long otherNs) {
        return isBefore(otherNs, oneNs) ? otherNs : oneNs;
    }

    /** Nanoseconds until the deadline: negative if it has passed, {@link Long#MAX_VALUE} for {@link #NEVER}. */
    public static long remainingNs(long deadlineNs, long nowNs) {
        return deadlineNs == NEVER ? Long.MAX_VALUE : deadlineNs - nowNs;
    }

    /** The deadline {@code durationNs} from now: {@link #NEVER} if that is too far off to be a time, as "for ever" is. */
    public static long after(long durationNs, long nowNs) {
        return durationNs >= Long.MAX_VALUE / 2 ? NEVER : nowNs + durationNs;
    }
}
