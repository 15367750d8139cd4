// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

/** Parameters of an end of a test, in the order of reports; the offsets are those of a {@link Request}. */
enum Parameter {
    ACCESS_RECV("access_recv", Kind.NUMBER, 8),
    AFFINITY("affinity", Kind.NUMBER, 12),
    ALT_PORT("alt_port", Kind.NUMBER, 16),
    FLIP("flip", Kind.NUMBER, 20),
    ID("id", Kind.TEXT, 72),
    MSG_SIZE("msg_size", Kind.SIZE, 24),
    MTU_SIZE("mtu_size", Kind.SIZE, 28),
    NO_MSGS("no_msgs", Kind.NUMBER, 32),
    POLL_MODE("poll_mode", Kind.NUMBER, 36),
    PORT("port", Kind.NUMBER, 40),
    RD_ATOMIC("rd_atomic", Kind.NUMBER, 44),
    SERVICE_LEVEL("service_level", Kind.NUMBER, 48),
    SOCK_BUF_SIZE("sock_buf_size", Kind.SIZE, 52),
    SRC_PATH_BITS("src_path_bits", Kind.SIZE, 56),
    TIME("time", Kind.SECONDS, 60),
    TIMEOUT("timeout", Kind.SECONDS, 64),
    USE_CM("use_cm", Kind.NUMBER, 68),
    STATIC_RATE("static_rate", Kind.TEXT, 136);

    /** Form of a value: numbers are u32, a text has at most {@link #TEXT_BYTES} bytes including the NUL. */
    enum Kind { NUMBER, SIZE, SECONDS, TEXT }

    static final int TEXT_BYTES = 64;

    /** In reports. */
    final String text;
    final Kind kind;
    final int offset;

    Parameter(String text, Kind kind, int offset) {
        this.text = text;
        this.kind = kind;
        this.offset = offset;
    }

    /** Reports leave the static rate out. */
    boolean isReported() {
        return this != STATIC_RATE;
    }
}
