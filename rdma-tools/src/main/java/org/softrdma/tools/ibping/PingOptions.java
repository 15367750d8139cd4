// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.ibping;

/** What the command line says. */
final class PingOptions {
    long count = 0xffffffffL;
    boolean flooding;
    boolean serving;
    boolean debugging;
    int oui = PingMad.OUI;
    /** Null for the first there is. */
    String device;
    int port = 1;
    long timeoutMs = 1000;
}
