// SPDX-License-Identifier: Apache-2.0
/**
 * Communication management of InfiniBand: how two ends agree on queue pairs, by datagrams between their GSIs. Pure: MADs, time and
 * commands come in, MADs and events come out; nothing here knows a socket, a thread, a clock or a queue pair.
 *
 * <p>{@link org.softrdma.rxe.cm.CommunicationManager} has the tables and the timers, {@link org.softrdma.rxe.cm.Connection} is the machine
 * of one connection, {@link org.softrdma.rxe.cm.SidrQuery} and {@link org.softrdma.rxe.cm.SidrRequest} are the two sides of a
 * service id resolution. Everything is called by one owner at a time, events are told while the owner calls. Source: IBA vol 1 chapter 12.
 */
package org.softrdma.rxe.cm;
