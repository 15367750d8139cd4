// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import org.softrdma.device.verbs.SoftProtectionDomain;

/** A protection domain. */
final class HeldPd extends HeldObject {
    private final SoftProtectionDomain pd;

    HeldPd(SoftProtectionDomain pd) {
        super(Kind.PD);
        this.pd = pd;
    }

    SoftProtectionDomain pd() {
        return pd;
    }

    @Override
    void destroy() {
        pd.close();
    }
}
