// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.wire;

/**
 * Opcodes of the commands that the target executes, and types of fabrics commands.
 *
 * <p>Source: NVMe 1.3 §5, §6; NVMe over Fabrics 1.1 §3.
 */
public final class Opcode {
    /** Command of either queue type whose kind is its {@link FabricsCommand#type}. */
    public static final int FABRICS = 0x7f;

    /** Fabrics. */
    public static final int PROPERTY_SET = 0x00;
    /** Fabrics. */
    public static final int CONNECT = 0x01;
    /** Fabrics. */
    public static final int PROPERTY_GET = 0x04;

    /** Admin. */
    public static final int GET_LOG_PAGE = 0x02;
    /** Admin. */
    public static final int IDENTIFY = 0x06;
    /** Admin. */
    public static final int ABORT = 0x08;
    /** Admin. */
    public static final int SET_FEATURES = 0x09;
    /** Admin. */
    public static final int GET_FEATURES = 0x0a;
    /** Admin. */
    public static final int ASYNC_EVENT_REQUEST = 0x0c;
    /** Admin. */
    public static final int KEEP_ALIVE = 0x18;

    /** I/O. */
    public static final int FLUSH = 0x00;
    /** I/O. */
    public static final int WRITE = 0x01;
    /** I/O. */
    public static final int READ = 0x02;
    /** I/O. */
    public static final int WRITE_ZEROES = 0x08;

    private Opcode() {
    }
}
