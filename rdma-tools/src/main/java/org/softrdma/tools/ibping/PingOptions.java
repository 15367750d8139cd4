// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.ibping;

/** Command line of ibping. */
final class PingOptions {
    long count = 0xffffffffL;
    boolean flooding;
    boolean serving;
    boolean debugging;
    int oui = PingMad.OUI;
    /** Name of the device; null to choose one by the route. */
    String device;
    int port = 1;
    long timeoutMs = 1000;
}
