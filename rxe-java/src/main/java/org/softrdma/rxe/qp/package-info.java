// SPDX-License-Identifier: Apache-2.0

/**
 * Protocol machines of RoCE queue pairs. Pure: packets, time and commands go in, packets and completions come out; no class here knows a
 * socket, a thread or a clock.
 *
 * <p>Reading order: {@code QpMachine} (the contract between engine and machine), {@code InboundPacket} and {@code PacketWriter} (input and
 * output), {@code RcMachine}. A request then leads through {@code SendState}, {@code Requester}, {@code SendWindow}, {@code Completer} and
 * {@code LossRecovery} on one side, {@code Responder}, {@code InboundMessage}, {@code ResponseQueue} and {@code ResponderResources} on the
 * other. {@code UcMachine} and {@code UdMachine} are the unreliable services, {@code XrcInitiator} and {@code XrcTarget} the two halves of
 * XRC, {@code KeepAlive} probes idle peers, {@code CongestionPoint} is DCQCN, {@code LingeringQueuePairs} acknowledges for destroyed
 * queue pairs.
 */
package org.softrdma.rxe.qp;
