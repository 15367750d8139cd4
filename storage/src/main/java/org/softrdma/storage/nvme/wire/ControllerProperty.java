// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.wire;

/**
 * Offsets of a controller's properties, and their fields.
 *
 * <p>Source: NVMe 1.3 §3.1; NVMe over Fabrics 1.1 §3.5.
 */
public final class ControllerProperty {
    /** Capabilities, eight bytes. */
    public static final int CAPABILITIES = 0x00;
    /** Version, four bytes. */
    public static final int VERSION = 0x08;
    /** Configuration, four bytes. */
    public static final int CONFIGURATION = 0x14;
    /** Status, four bytes. */
    public static final int STATUS = 0x1c;

    /** Configuration: the controller is enabled. */
    public static final int ENABLE = 1;
    /** Configuration: a shutdown was requested, in one of two ways. */
    public static final int SHUTDOWN = 3 << 14;
    /** Status: commands are executed. */
    public static final int READY = 1;
    /** Status: the configuration cannot be used. */
    public static final int FATAL = 2;
    /** Status: the shutdown is complete. */
    public static final int SHUT_DOWN = 2 << 2;

    /** NVMe 1.3. */
    public static final int VERSION_1_3 = 0x10300;

    /** Configuration: sizes of queue entries. */
    private static final int ENTRY_SIZES = 0xff0000;
    /** Configuration: command set, page size, arbitration, and sizes of queue entries. */
    private static final int FORM = ENTRY_SIZES | 0x3ff0;
    /** NVM command set, pages of 4 KiB, round robin, 64 and 16 bytes. */
    private static final int FORM_SUPPORTED = 4 << 20 | 6 << 16;
    private static final long CONTIGUOUS_QUEUES = 1L << 16;
    private static final long NVM_COMMAND_SET = 1L << 37;
    /** How long to wait for {@link #READY}, in units of 500 ms. */
    private static final long TIMEOUT = 15L << 24;

    private ControllerProperty() {
    }

    /**
     * Value of {@link #CAPABILITIES}.
     *
     * @param entries of a queue at most
     */
    public static long capabilities(int entries) {
        return entries - 1 | CONTIGUOUS_QUEUES | NVM_COMMAND_SET | TIMEOUT;
    }

    /**
     * Whether a controller can be enabled with a configuration.
     *
     * @param discovery whether it is a discovery controller. Those have no I/O queues, the sizes of whose entries should be 0; Linux's host
     *                  sets them nevertheless
     */
    public static boolean isSupported(int configuration, boolean discovery) {
        int compared = discovery ? FORM & ~ENTRY_SIZES : FORM;
        return (configuration & compared) == (FORM_SUPPORTED & compared);
    }
}
