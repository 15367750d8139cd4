// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

/** Methods of subnet management, subnet administration and performance management. Source: IBA vol 1 §13.4.5, §14.2.3, §15.2.2. */
public final class MadMethod {
    /** Bit of every response. */
    public static final int RESPONSE = 0x80;
    /** Reads an attribute. */
    public static final int GET = 0x01;
    /** Writes an attribute; joins a group or registers a service, in subnet administration. */
    public static final int SET = 0x02;
    /** Notifies of an event. */
    public static final int TRAP = 0x05;
    /** Forwards a notice to a subscriber. */
    public static final int REPORT = 0x06;
    /** Ends the repetition of a trap. */
    public static final int TRAP_REPRESS = 0x07;
    /** Reads a table of records. */
    public static final int GET_TABLE = 0x12;
    /** Reads the path records for a list of ports. */
    public static final int GET_MULTI = 0x14;
    /** Deletes a record: leaves a group, or deregisters a service. */
    public static final int DELETE = 0x15;
    /** Response to {@link #GET} and {@link #SET}. */
    public static final int GET_RESPONSE = 0x81;
    /** Response to {@link #REPORT}. */
    public static final int REPORT_RESPONSE = 0x86;
    /** Response to {@link #GET_TABLE}. */
    public static final int GET_TABLE_RESPONSE = 0x92;
    /** Response to {@link #DELETE}. */
    public static final int DELETE_RESPONSE = 0x95;

    private MadMethod() {
    }

    /**
     * {@return whether a method is a response}
     *
     * @param method method, u8
     */
    public static boolean isResponse(int method) {
        return (method & RESPONSE) != 0;
    }
}
