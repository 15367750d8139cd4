// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.devices;

import org.softrdma.verbs.PortAttributes;

/** States of a port in the words of the kernel's sysfs, which the diagnostic tools print. */
final class PortTexts {
    private static final int ETHERNET = 2;

    private PortTexts() {
    }

    static String physicalState(PortAttributes port) {
        return switch (port.physState()) {
            case 1 -> "Sleep";
            case 2 -> "Polling";
            case 3 -> "Disabled";
            case 4 -> "PortConfigurationTraining";
            case 5 -> "LinkUp";
            case 6 -> "LinkErrorRecovery";
            case 7 -> "Phy Test";
            default -> "<unknown>";
        };
    }

    static String linkLayer(PortAttributes port) {
        return port.linkLayer() == ETHERNET ? "Ethernet" : "InfiniBand";
    }
}
