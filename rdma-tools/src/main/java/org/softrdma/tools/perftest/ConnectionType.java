// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.QpType;

/** Transport service of a test. */
enum ConnectionType {
    RC(QpType.RC),
    UC(QpType.UC),
    UD(QpType.UD);

    final QpType type;

    ConnectionType(QpType type) {
        this.type = type;
    }

    /**
     * Finds a service by its name.
     *
     * @throws ToolFailure if there is no such service, or it does not have the verb
     */
    static ConnectionType of(String name, Verb verb) {
        switch (name) {
            case "RC" -> {
                return RC;
            }
            case "UC" -> {
                if (verb.fetches()) {
                    throw new ToolFailure(" UC connection not possible in READ/ATOMIC verbs");
                }
                return UC;
            }
            case "UD" -> {
                if (verb != Verb.SEND) {
                    throw new ToolFailure(" UD connection only possible in SEND verb");
                }
                return UD;
            }
            case "XRC", "DC", "SRD", "RawEth" -> throw new ToolFailure(" " + name + " is not among the connection types here: RC, UC, UD");
            default -> throw new ToolFailure(" Invalid Connection type. Please choose from {RC,UC,UD,XRC,DC,SRD}");
        }
    }
}
