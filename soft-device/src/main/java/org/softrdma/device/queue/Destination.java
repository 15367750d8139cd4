// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

/** The destination of a datagram as the transport's link resolved it. Opaque to all code between the posted work request and the link. */
public interface Destination {
}
