// SPDX-License-Identifier: Apache-2.0
/**
 * RoCE devices: the shell that connects the verbs API, the engine and the network interface.
 *
 * <p>Reading order: {@link org.softrdma.rxe.RxeProvider} and RxeDevice, the configured devices; RunningRxe, a device while contexts are
 * open; {@link org.softrdma.rxe.RxeContext} and RxeQueuePair, the API; RxeCm and RxeCmConnection with its roles (ConnectionRole,
 * SidrQueryRole, SidrRequestRole), the connection manager's transport. {@link org.softrdma.rxe.Rxe} and
 * {@link org.softrdma.rxe.SimulatedRxe} create devices without configuration.
 */
package org.softrdma.rxe;
