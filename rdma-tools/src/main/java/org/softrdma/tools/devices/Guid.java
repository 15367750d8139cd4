// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.devices;

/** Text forms of GUIDs. */
public final class Guid {
    private Guid() {
    }

    /** Four groups of four digits: {@code 5054:00ff:fe77:0002}. */
    public static String text(long guid) {
        String digits = String.format("%016x", guid);
        return digits.substring(0, 4) + ':' + digits.substring(4, 8) + ':' + digits.substring(8, 12) + ':' + digits.substring(12);
    }
}
