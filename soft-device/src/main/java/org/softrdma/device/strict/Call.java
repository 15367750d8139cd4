// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.strict;

/**
 * A call of the program.
 *
 * @param verb  as in {@code post_send}
 * @param where place in the program's source, or the program itself if that is another process
 */
record Call(String verb, String where) {
    @Override
    public String toString() {
        return verb + " at " + where;
    }
}
