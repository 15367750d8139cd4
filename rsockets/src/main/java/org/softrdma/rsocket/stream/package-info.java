// SPDX-License-Identifier: Apache-2.0
/**
 * The rsocket protocol without clock, thread, socket or device. Programs need only {@link Violation} of this package; the other classes
 * are public for {@code org.softrdma.rsocket}.
 *
 * <p>Reading order: {@link ConnectionData} is exchanged when the connection is made and {@link Message} later; {@link StreamMachine} is
 * one end of a stream; {@link Inbound} is the ring that the peer writes to, {@link Outbound} the ring of bytes on their way to the peer,
 * {@link TargetList} the peer's memory that may be written; {@link StreamPort} is the connection below.
 */
package org.softrdma.rsocket.stream;
