// SPDX-License-Identifier: Apache-2.0
/**
 * The rules of adapters, for contexts that are strict: variants of the parts of a soft device, which note the calls of the program and
 * report what is wrong with them to {@link org.softrdma.device.findings.Findings}. Other contexts use none of these classes.
 *
 * <p>Reading order: {@link org.softrdma.device.strict.StrictContext}; {@link org.softrdma.device.strict.StrictQueuePair} and its queues,
 * {@code StrictSendRing} and {@link org.softrdma.device.strict.StrictReceivePosts}; {@link org.softrdma.device.strict.StrictCompletions};
 * {@link org.softrdma.device.strict.StrictRegion}.
 */
package org.softrdma.device.strict;
