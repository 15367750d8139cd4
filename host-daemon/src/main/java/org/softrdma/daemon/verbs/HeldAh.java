// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import org.softrdma.verbs.AddressHandle;

/** An address handle. */
final class HeldAh extends HeldObject {
    private final AddressHandle handle;
    private final ContextObjects objects;
    private final int number;

    /** @param number from {@link ContextObjects#add(AddressHandle)} */
    HeldAh(AddressHandle handle, ContextObjects objects, int number) {
        super(Kind.AH);
        this.handle = handle;
        this.objects = objects;
        this.number = number;
    }

    /** Returns the number by which work requests name it. */
    int number() {
        return number;
    }

    @Override
    void destroy() {
        objects.removeAddressHandle(number);
        handle.close();
    }
}
