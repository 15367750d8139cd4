// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.device;

/** Reasons for which a link to a fabric drops packets. */
enum FabricLinkCounter {
    /** Packet whose local or global route header is malformed, or has another length than the packet. */
    FRAME_BAD_ROUTE_HEADER,
    /** Packet to a LID or GID that is not the port's, or to a group that no queue pair is attached to. */
    FRAME_WRONG_ADDRESS
}
