// SPDX-License-Identifier: Apache-2.0
/**
 * Sharing of 127.0.0.1 between the processes of a user, each of which has a 127.0.x.y of its own:
 * {@link org.softrdma.host.loopback.LoopbackListeners} says which process listens for a port,
 * {@link org.softrdma.host.loopback.LoopbackFiles} keeps that in files.
 */
package org.softrdma.host.loopback;
