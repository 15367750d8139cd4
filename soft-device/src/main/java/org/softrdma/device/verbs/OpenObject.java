// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.util.List;

/**
 * An object that a program has created and not closed.
 *
 * @param object  a protection domain, memory region, completion queue, queue pair or any other object of a context
 * @param created stack of the call that created it, innermost frame first; empty unless {@link SoftContext#traceObjects} was called before
 */
public record OpenObject(Object object, List<StackTraceElement> created) {
}
