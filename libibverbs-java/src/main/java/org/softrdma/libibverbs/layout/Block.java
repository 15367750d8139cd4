// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** A structure or an array within a structure. */
public record Block(int offset) implements Field {
    @Override
    public int bytes() {
        return 0;
    }
}
