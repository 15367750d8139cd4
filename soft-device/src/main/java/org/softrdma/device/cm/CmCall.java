// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.cm;

import java.util.List;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * Which call fits which states of an identifier; in any other it is refused with EINVAL, with ENODEV once the device was removed. Calls
 * that are not here fit all, until it is closed.
 */
enum CmCall {
    /** Reuse of the address, and IP version of the wildcard address. */
    SET_BINDING_OPTION("set_option", CmState.IDLE),
    BIND_ADDR("bind_addr", CmState.IDLE),
    RESOLVE_ADDR("resolve_addr", CmState.IDLE, CmState.ADDR_BOUND),
    RESOLVE_ROUTE("resolve_route", CmState.ADDR_RESOLVED),
    CONNECT("connect", CmState.ROUTE_RESOLVED),
    LISTEN("listen", CmState.IDLE, CmState.ADDR_BOUND),
    GET_REQUEST("get_request", CmState.LISTEN),
    ACCEPT("accept", CmState.CONNECT),
    ESTABLISH("establish", CmState.CONNECT, CmState.DISCONNECT),
    REJECT("reject", CmState.CONNECT, CmState.DISCONNECT),
    NOTIFY("notify", CmState.CONNECT, CmState.DISCONNECT),
    DISCONNECT("disconnect", CmState.CONNECT, CmState.DISCONNECT);

    private final String verb;
    private final List<CmState> fitting;

    CmCall(String verb, CmState... fitting) {
        this.verb = verb;
        this.fitting = List.of(fitting);
    }

    /** @throws VerbsException EINVAL */
    void requireFits(CmState state) {
        if (!fitting.contains(state)) {
            throw refusal(verb, state, fitting);
        }
    }

    /**
     * For a call that has begun and let go of the monitor in between.
     *
     * @throws VerbsException EINVAL: another call came between
     */
    void requireStill(CmState expected, CmState state) {
        if (state != expected) {
            throw refusal(verb, state, List.of(expected));
        }
    }

    static VerbsException refusal(String verb, CmState state, List<CmState> fitting) {
        if (state == CmState.DEVICE_REMOVAL) {
            return new VerbsException(Errno.ENODEV, verb, "the identifier's device was removed; close the identifier");
        }
        return new VerbsException(Errno.EINVAL, verb, "the identifier is in state " + state + "; this needs " + fitting);
    }
}
