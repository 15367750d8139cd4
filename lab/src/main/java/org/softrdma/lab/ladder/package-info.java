// SPDX-License-Identifier: Apache-2.0
/**
 * Packets as a sequence diagram.
 *
 * <p>Reading order: {@link org.softrdma.lab.ladder.Ladder} of {@link org.softrdma.lab.ladder.Arrow}s; {@link
 * org.softrdma.lab.ladder.RoceDecoder} and {@link org.softrdma.lab.ladder.IwarpDecoder}, packets as {@link
 * org.softrdma.lab.ladder.Field}s.
 */
package org.softrdma.lab.ladder;
