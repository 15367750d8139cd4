// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

/** State of an identifier. Names are those of the kernel's connection manager. */
enum CmState {
    /** New. */
    IDLE,
    /** After bind_addr; entered by listen and resolve_addr, too, if the identifier was not bound. */
    ADDR_BOUND,
    /** After resolve_addr. */
    ADDR_RESOLVED,
    /** After resolve_route; entered again by a connect that the transport refused. */
    ROUTE_RESOLVED,
    /** After connect, and at first if created by a request. Kept when the connection is established, rejected or unreachable. */
    CONNECT,
    /** The transport has reported the end of the connection. */
    DISCONNECT,
    /** After listen; back to ADDR_BOUND if listening fails. */
    LISTEN,
    /** The device was removed; the identifier can only be closed. */
    DEVICE_REMOVAL,
    /** After destroy_id, in any state. */
    DESTROYING
}
