// SPDX-License-Identifier: Apache-2.0
/**
 * The protocol between ibsim and the library that it loads into tools and opensm:
 * {@link org.softrdma.fabric.ibsim.IbsimServer} serves it on a fabric,
 * {@link org.softrdma.fabric.ibsim.IbsimClient} is the other end.
 * {@code SimControl} and {@code SimPacket} are its messages,
 * {@code SimSockets} the two kinds of sockets.
 */
package org.softrdma.fabric.ibsim;
