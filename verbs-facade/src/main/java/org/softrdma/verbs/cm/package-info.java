// SPDX-License-Identifier: Apache-2.0
/**
 * Connections by IP address and port: the RDMA connection manager, as librdmacm has it.
 *
 * <p>{@link org.softrdma.verbs.cm.ConnectionManager#get} is the way in. A {@link org.softrdma.verbs.cm.CmId} is what a socket is to TCP;
 * what happens to it comes out of its {@link org.softrdma.verbs.cm.EventChannel} as {@link org.softrdma.verbs.cm.CmEvent}s. An identifier
 * without channel is synchronous: its operations wait for their event and throw if it is a failure.
 */
package org.softrdma.verbs.cm;
