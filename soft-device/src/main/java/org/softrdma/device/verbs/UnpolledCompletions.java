// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.util.List;
import org.softrdma.verbs.WorkCompletion;

/**
 * Completions that were never polled: their queue was closed with them.
 *
 * @param queue       the closed completion queue
 * @param completions at least one
 */
public record UnpolledCompletions(OpenObject queue, List<WorkCompletion> completions) {
}
