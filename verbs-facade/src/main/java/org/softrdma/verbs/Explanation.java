// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/**
 * Why a work request failed, as its device knows it: on this project's devices a {@link org.softrdma.verbs.reason.Failure}. The text of
 * {@link Object#toString} is for people: the sentence, and how to find out more.
 */
public interface Explanation {
    /** {@return the number of the reason: the completion's {@link WorkCompletion#vendorError}} */
    int code();

    /** {@return the reason as one sentence, with the values of this occurrence as far as they are known} */
    String sentence();
}
