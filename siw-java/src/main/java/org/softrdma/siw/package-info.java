// SPDX-License-Identifier: Apache-2.0
/**
 * iWARP: MPA, DDP and RDMAP over a byte stream.
 *
 * <p>The way in: {@link org.softrdma.siw.mpa.FpduReader} cuts the stream into frames, {@link org.softrdma.siw.qp.Receiver} judges and
 * executes each, {@link org.softrdma.siw.qp.OutstandingRequests} knows what answers are awaited. The way out:
 * {@link org.softrdma.siw.qp.Sender} works the send queue off, {@link org.softrdma.siw.qp.PendingResponses} answers the peer,
 * {@link org.softrdma.siw.mpa.FpduWriter} frames both. {@link org.softrdma.siw.qp.SiwMachine} holds them together; none of them knows a
 * socket, a thread or a clock.
 */
package org.softrdma.siw;
