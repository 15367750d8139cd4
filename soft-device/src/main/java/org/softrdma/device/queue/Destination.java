// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

/** Where a datagram goes, as the transport's link resolved it: opaque to everything between the posted work request and the link. */
public interface Destination {
}
