// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.findings;

/**
 * A violation of a rule by a program.
 *
 * @param rule   what was violated
 * @param device name of the device
 * @param text   what is wrong, with the values, and what to do
 * @param call   the call that caused it: its object, its verb, and its place, as in
 *     {@code qp 0x11, wr_id 7, post_send at example.Ping.send(Ping.java:42)}
 */
public record Finding(StrictRule rule, String device, String text, String call) {
    private static final String AT = " at ";

    /** {@return the place of the call: in the program's source, or the program itself if that is another process} */
    public String place() {
        return call.substring(call.lastIndexOf(AT) + AT.length());
    }

    /** One line: device, text, call and rule. */
    @Override
    public String toString() {
        return device + ": strict: " + text + "; " + call + " [" + rule + "]";
    }
}
