// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.cm;

/** What an identifier is in the middle of. Names as in the kernel's connection manager. */
enum CmState {
    /** New. */
    IDLE,
    /** bind_addr, or what was not bound before it listens or resolves. */
    ADDR_BOUND,
    /** resolve_addr. */
    ADDR_RESOLVED,
    /** resolve_route; again after a connect that the transport refused. */
    ROUTE_RESOLVED,
    /** connect; one that a request made begins here. It stays when the connection is established, rejected or unreachable. */
    CONNECT,
    /** The transport said that the connection has ended. */
    DISCONNECT,
    /** listen; back to ADDR_BOUND if it cannot. */
    LISTEN,
    /** Its device was removed; closing is all that is left. */
    DEVICE_REMOVAL,
    /** destroy_id, from any. */
    DESTROYING
}
