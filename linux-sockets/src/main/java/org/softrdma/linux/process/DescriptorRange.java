// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * Numbers of descriptors in a program that are kept for one kind of object, so that a filter can tell them apart.
 *
 * @param first lowest number
 * @param end   one above the highest number
 */
public record DescriptorRange(int first, int end) {
    /**
     * Checks the bounds.
     *
     * @throws VerbsException EINVAL: the range is empty, or contains numbers of standard streams
     */
    public DescriptorRange {
        if (first < 3 || end <= first) {
            throw new VerbsException(Errno.EINVAL, "seccomp",
                "descriptors " + first + " to " + end + " are no range above the standard streams");
        }
    }

    public boolean contains(int number) {
        return number >= first && number < end;
    }
}
