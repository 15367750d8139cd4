// SPDX-License-Identifier: Apache-2.0
/**
 * Links that carry RoCE packets in batches, and what they share.
 *
 * <p>Reading order: {@link org.softrdma.link.Link} (the contract), {@link org.softrdma.link.PathRequest} and
 * {@link org.softrdma.link.Path}, {@link org.softrdma.link.TransmitBatch} (packets out), {@link org.softrdma.link.ReceivedFrame} and
 * {@link org.softrdma.link.FrameHandler} (packets in), {@link org.softrdma.link.PacketTrains} (segmentation offload),
 * {@link org.softrdma.link.ForwardingLink} (stacked links). The links themselves: {@code udp}, {@code raw} and {@code sim}; stacked on them
 * {@code capture} and {@code fault}.
 */
package org.softrdma.link;
