// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4.state;

/**
 * Name of an open or of locks on a file.
 *
 * @param sequence u32, increased by each change; 0 means the current one
 * @param boot     u32, the server's start that has given it
 * @param number   of the state, u64
 */
public record StateId(int sequence, int boot, long number) {
    /** No state: access without an open. Source: RFC 8881, section 8.2.3. */
    public static final StateId ANONYMOUS = new StateId(0, 0, 0);
    /** No state, and reading past locks; the same as {@link #ANONYMOUS} here, where locks are advisory. */
    public static final StateId BYPASS = new StateId(-1, -1, -1);
    /** The state that an earlier operation of the same call has given. */
    public static final StateId CURRENT = new StateId(1, 0, 0);
    /** The state after CLOSE. */
    public static final StateId INVALID = new StateId(-1, 0, 0);

    public boolean isAnonymous() {
        return equals(ANONYMOUS) || equals(BYPASS);
    }

    StateId withSequence(int other) {
        return new StateId(other, boot, number);
    }
}
