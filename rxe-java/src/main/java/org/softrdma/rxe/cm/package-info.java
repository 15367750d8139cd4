// SPDX-License-Identifier: Apache-2.0
/**
 * InfiniBand communication management: two ends agree on queue pairs by datagrams between their GSIs. Pure: MADs, time and commands are
 * input, MADs and events are output; no sockets, threads, clocks or queue pairs. Called by one owner at a time; events are delivered during
 * those calls. Source: IBA vol 1 chapter 12.
 *
 * <p>Reading order: {@link org.softrdma.rxe.cm.Connection}, the state machine of one connection, with {@link org.softrdma.rxe.cm.ReqFields}
 * and {@link org.softrdma.rxe.cm.RepFields}; {@link org.softrdma.rxe.cm.CommunicationManager}, the tables, timers and dispatch of messages;
 * {@link org.softrdma.rxe.cm.SidrQuery} and {@link org.softrdma.rxe.cm.SidrRequest}, the two sides of a service ID resolution;
 * {@link org.softrdma.rxe.cm.Pacing}, the limit on requests in flight; {@link org.softrdma.rxe.cm.DisconnectStore}, for the case that the
 * process is killed. {@link org.softrdma.rxe.cm.CmSettings} holds times and bounds.
 */
package org.softrdma.rxe.cm;
