// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.util.List;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * States of an identifier in which each call is allowed; in other states the call fails with EINVAL, and with ENODEV once the device was
 * removed. Calls that are not listed are allowed in all states until the identifier is closed.
 */
enum CmCall {
    /** Options for address reuse and for the IP version of the wildcard address. */
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

    /**
     * Checks the state.
     *
     * @throws VerbsException EINVAL, ENODEV
     */
    void requireFits(CmState state) {
        if (!fitting.contains(state)) {
            throw refusal(verb, state, fitting);
        }
    }

    /**
     * Checks the state again, in a call that released the monitor meanwhile.
     *
     * @throws VerbsException EINVAL: another call changed the state
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
        if (state == CmState.DESTROYING) {
            return new VerbsException(Errno.EINVAL, verb, "the identifier is closed");
        }
        return new VerbsException(Errno.EINVAL, verb, "the identifier is in state " + state + "; this needs " + fitting);
    }
}
