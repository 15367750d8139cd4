// SPDX-License-Identifier: Apache-2.0
/**
 * {@code rstream}: speed of byte streams over rsockets or, for comparison, over TCP sockets. Options and output are the original's.
 *
 * <p>Reading order: {@link RStream}, {@link RStreamSession}, {@link Run} (a test), {@link Transfer}, {@link StreamKind} with
 * {@link RdmaStreams} and {@link TcpStreams}.
 */
package org.softrdma.tools.rstream;
