// SPDX-License-Identifier: Apache-2.0
/**
 * The messages between a fabric and a process that is attached to one of its ports, on a connection that keeps their order. Both ends
 * check what they read: {@link org.softrdma.fabric.attach.PortMessages}.
 */
package org.softrdma.fabric.attach;
