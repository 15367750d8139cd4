// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cm;

/** Steps that cmtime measures, in the order of its table. */
enum CmTimeStep {
    CREATE_ID("create id", "creating id", null),
    BIND("bind addr", "binding source address", "failure bind addr"),
    RESOLVE_ADDRESS("resolve addr", "resolving address", "failure getting addr"),
    RESOLVE_ROUTE("resolve route", "resolving route", "failure resolving route"),
    CREATE_QP("create qp", "creating qp", "failure creating qp"),
    CONNECT("connect", "connecting", "failure rconnecting"),
    DISCONNECT("disconnect", "disconnecting", "failure disconnecting"),
    DESTROY("destroy", "destroying id", null);

    /** First column of the table. */
    final String label;
    /** Line that is printed when the step begins. */
    final String title;
    /** Message for a connection whose step fails; null for the steps that failed connections take part in, too. */
    final String failure;

    CmTimeStep(String label, String title, String failure) {
        this.label = label;
        this.title = title;
        this.failure = failure;
    }
}
