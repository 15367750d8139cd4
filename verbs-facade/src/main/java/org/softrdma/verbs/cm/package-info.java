// SPDX-License-Identifier: Apache-2.0
/**
 * Connections by IP address and port: the RDMA connection manager, like that of librdmacm.
 *
 * <p>{@link org.softrdma.verbs.cm.ConnectionManager#get} is the entry point. A {@link org.softrdma.verbs.cm.CmId} is what a socket is to
 * TCP; its {@link org.softrdma.verbs.cm.EventChannel} delivers its {@link org.softrdma.verbs.cm.CmEvent}s. An identifier without a channel
 * is synchronous: its operations wait for their event and throw if it is a failure.
 */
package org.softrdma.verbs.cm;
