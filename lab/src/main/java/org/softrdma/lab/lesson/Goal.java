// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.lesson;

import java.util.List;

/**
 * Something that a learner is to bring about.
 *
 * @param text one sentence
 * @param all  conditions, all of which must hold
 */
public record Goal(String text, List<Condition> all) {
}
