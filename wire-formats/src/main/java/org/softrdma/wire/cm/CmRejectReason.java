// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.cm;

/** Why a REJ was sent; on the wire and in events the same numbers, u16. Source: IBA vol 1 §12.6.7.2. */
public final class CmRejectReason {
    /** No queue pair can be had. */
    public static final int NO_QP = 1;
    /** No end-to-end context can be had. */
    public static final int NO_EEC = 2;
    /** No resources. */
    public static final int NO_RESOURCES = 3;
    /** Nothing was heard for too long; the information is the sender's CA GUID. */
    public static final int TIMEOUT = 4;
    /** Not supported. */
    public static final int UNSUPPORTED = 5;
    /** A communication id that is unknown. */
    public static final int INVALID_COMM_ID = 6;
    /** Communication ids and queue pair do not belong together. */
    public static final int INVALID_COMM_INSTANCE = 7;
    /** No listener for the service id. */
    public static final int INVALID_SERVICE_ID = 8;
    /** Another service (RC, UC, …) than the listener's. */
    public static final int INVALID_TRANSPORT_TYPE = 9;
    /** The queue pair is known as that of an older connection. */
    public static final int STALE_CONNECTION = 10;
    /** No reliable datagram channel. */
    public static final int RDC_NOT_EXIST = 11;
    /** Primary path: a GID; the information is one that would do. */
    public static final int INVALID_GID = 12;
    /** Primary path: a LID. */
    public static final int INVALID_LID = 13;
    /** Primary path: the service level. */
    public static final int INVALID_SL = 14;
    /** Primary path: the traffic class. */
    public static final int INVALID_TRAFFIC_CLASS = 15;
    /** Primary path: the hop limit. */
    public static final int INVALID_HOP_LIMIT = 16;
    /** Primary path: the packet rate. */
    public static final int INVALID_PACKET_RATE = 17;
    /** Alternate path: a GID. */
    public static final int INVALID_ALTERNATE_GID = 18;
    /** Port and CM to be asked instead. */
    public static final int PORT_CM_REDIRECT = 24;
    /** Port to be asked instead. */
    public static final int PORT_REDIRECT = 25;
    /** The path MTU. */
    public static final int INVALID_MTU = 26;
    /** Not enough responder resources. */
    public static final int INSUFFICIENT_RESPONDER_RESOURCES = 27;
    /** The application says no. */
    public static final int CONSUMER = 28;
    /** The RNR retry count. */
    public static final int INVALID_RNR_RETRY = 29;
    /** The communication id is another connection's. */
    public static final int DUPLICATE_LOCAL_COMM_ID = 30;
    /** ClassVersion. */
    public static final int INVALID_CLASS_VERSION = 31;
    /** Primary path: the flow label. */
    public static final int INVALID_FLOW_LABEL = 32;
    /** Alternate path: the flow label. */
    public static final int INVALID_ALTERNATE_FLOW_LABEL = 33;
    /** A vendor's option. */
    public static final int VENDOR_OPTION_NOT_SUPPORTED = 35;

    private static final String[] NAMES = {
        "reason 0", "no queue pair", "no end-to-end context", "no resources", "timeout", "unsupported", "invalid communication id",
        "invalid communication instance", "invalid service id", "invalid transport type", "stale connection",
        "no reliable datagram channel", "invalid GID", "invalid LID", "invalid service level", "invalid traffic class",
        "invalid hop limit", "invalid packet rate", "invalid alternate GID", "invalid alternate LID", "invalid alternate service level",
        "invalid alternate traffic class", "invalid alternate hop limit", "invalid alternate packet rate", "port and CM redirect",
        "port redirect", "invalid MTU", "insufficient responder resources", "consumer reject", "invalid RNR retry count",
        "duplicate local communication id", "invalid class version", "invalid flow label", "invalid alternate flow label", "reason 34",
        "vendor option not supported"};

    private CmRejectReason() {
    }

    /**
     * {@return text for messages, such as "consumer reject"; unknown ones by their number}
     *
     * @param reason reject reason, u16
     */
    public static String name(int reason) {
        return reason >= 0 && reason < NAMES.length ? NAMES[reason] : "reason " + reason;
    }
}
