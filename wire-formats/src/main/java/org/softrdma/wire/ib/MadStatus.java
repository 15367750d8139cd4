// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

/** Status of a management datagram: common values, and those of subnet administration. Source: IBA vol 1 §13.4.7, §15.2.6. */
public final class MadStatus {
    /** Success. */
    public static final int OK = 0x0000;
    /** The agent cannot serve the request now. */
    public static final int BUSY = 0x0001;
    /** Class or class version is not supported. */
    public static final int BAD_VERSION = 0x0004;
    /** Method is not supported. */
    public static final int UNSUPPORTED_METHOD = 0x0008;
    /** The combination of method and attribute is not supported. */
    public static final int UNSUPPORTED_ATTRIBUTE = 0x000C;
    /** A field of the attribute or its modifier has an invalid value. */
    public static final int INVALID_FIELD = 0x001C;
    /** Subnet administration: insufficient resources. */
    public static final int SA_NO_RESOURCES = 0x0100;
    /** Subnet administration: the request is invalid. */
    public static final int SA_REQUEST_INVALID = 0x0200;
    /** Subnet administration: no record matches. */
    public static final int SA_NO_RECORDS = 0x0300;
    /** Subnet administration: more than one record matches a Get. */
    public static final int SA_TOO_MANY_RECORDS = 0x0400;
    /** Subnet administration: a GID of the request is invalid. */
    public static final int SA_INVALID_GID = 0x0500;
    /** Subnet administration: the request has too few components. */
    public static final int SA_INSUFFICIENT_COMPONENTS = 0x0600;
    /** Subnet administration: the requester may not do that. */
    public static final int SA_DENIED = 0x0700;

    private MadStatus() {
    }
}
