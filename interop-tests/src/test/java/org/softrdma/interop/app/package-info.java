// SPDX-License-Identifier: Apache-2.0
/**
 * Test applications: programs that run our end of a case through the public API, in the lab's network namespace, and drive the guest's
 * end over TCP.
 *
 * <p>Reading order:
 * <ol>
 * <li>{@link org.softrdma.interop.app.VerbsApp}: the main program for RoCE.
 * <li>{@link org.softrdma.interop.app.Endpoint}, with {@link org.softrdma.interop.app.JavaEndpoint} for our side and
 * {@link org.softrdma.interop.app.GuestEndpoint} for the kernel's; {@link org.softrdma.interop.app.Settings} and
 * {@link org.softrdma.interop.app.Work} are its parameters.
 * <li>{@link org.softrdma.interop.app.Operation}: valid exchanges; {@link org.softrdma.interop.app.Violation}: requests that must be
 * rejected, some of them from {@link org.softrdma.interop.app.RawPacket}.
 * <li>iWARP in the same order: {@link org.softrdma.interop.app.IwarpOperationApp} and {@link org.softrdma.interop.app.IwarpApp},
 * {@link org.softrdma.interop.app.IwarpInitiator} and {@link org.softrdma.interop.app.IwarpResponder},
 * {@link org.softrdma.interop.app.IwarpOperation}, {@link org.softrdma.interop.app.IwarpViolation} with
 * {@link org.softrdma.interop.app.RawIwarp}.
 * </ol>
 */
package org.softrdma.interop.app;
