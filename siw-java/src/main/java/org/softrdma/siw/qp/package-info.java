// SPDX-License-Identifier: Apache-2.0
/**
 * DDP and RDMAP, the protocol of a queue pair (RFC 5040, 5041, 7306): pure classes without sockets, threads or clocks.
 *
 * <p>Reading order. {@link org.softrdma.siw.qp.SiwMachine} holds the parts together: it receives ULPDUs, distributes them, and writes
 * frames. {@link org.softrdma.siw.qp.Requester} turns the send queue into segments, and {@link org.softrdma.siw.qp.OutstandingRequests}
 * (ORQ) holds its READs and atomics until {@link org.softrdma.siw.qp.Completer} has their responses.
 * {@link org.softrdma.siw.qp.Responder} executes the peer's requests, with {@link org.softrdma.siw.qp.RemoteAccess} deciding about memory;
 * {@link org.softrdma.siw.qp.PendingResponses} (IRQ) holds the READs and atomics among them until their responses are written.
 * {@link org.softrdma.siw.qp.Opening} has the first steps of a connection; {@link org.softrdma.siw.qp.Termination} is the end after
 * an error; {@link org.softrdma.siw.qp.Closing} bounds an orderly one.
 */
package org.softrdma.siw.qp;
