// SPDX-License-Identifier: Apache-2.0
/**
 * Queues in memory that a program shares with us: the rings of librxe and libsiw, and the work that is taken from them.
 *
 * <p>Reading order: {@link org.softrdma.daemon.rings.RingFormat}, what the two libraries' rings have in common;
 * {@link org.softrdma.daemon.rings.RingSpace}, the file they lie in; {@link org.softrdma.daemon.rings.RingQueuePair}, which posts what the
 * program put into its send queue; {@link org.softrdma.daemon.rings.RingDoor}, whose turn it is; the rings of each library;
 * {@link org.softrdma.daemon.rings.LostPages}, for when a program cuts its file off.
 * Nothing read from a ring is trusted: indices are masked with our own masks, and records are copied before they are checked.
 */
package org.softrdma.daemon.rings;
