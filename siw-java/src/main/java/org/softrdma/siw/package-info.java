// SPDX-License-Identifier: Apache-2.0
/**
 * iWARP: MPA, DDP and RDMAP over a byte stream.
 *
 * <p>The way in: {@link org.softrdma.siw.FpduReader} cuts the stream into frames, {@link org.softrdma.siw.Inbound} judges and executes
 * each, {@link org.softrdma.siw.OutstandingRequests} knows what answers are awaited. The way out: {@link org.softrdma.siw.Outbound}
 * works the send queue off, {@link org.softrdma.siw.PendingResponses} answers the peer, {@link org.softrdma.siw.FpduWriter} frames both.
 * {@link org.softrdma.siw.SiwMachine} holds them together; none of them knows a socket, a thread or a clock.
 */
package org.softrdma.siw;
