// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.topology;

/** A topology file that cannot be read; the message names the line and what is wrong with it. */
public final class TopologyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TopologyException(int line, String problem) {
        super("line " + line + ": " + problem);
    }

    TopologyException(String problem) {
        super(problem);
    }
}
