// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The log page of a discovery controller, little-endian: a header, and an entry of the same length for each address of a subsystem. Bytes
 * without a meaning here are zero.
 *
 * <pre>
 * header:    0 | generation (8) | number of entries (8) | record format (2) |
 * entry:     0 | transport (1) | address family (1) | kind of subsystem (1) | requirements (1) | port (2) | controller (2) |
 *            8 | entries of an admin queue (2) |
 *           32 | service (32) |
 *          256 | name of the subsystem (256) |
 *          512 | address (256) |
 *          768 | for RDMA: kind of queue pair (1) | provider (1) | connection manager (1) |
 * </pre>
 *
 * Source: NVMe over Fabrics 1.1 §5.3, figures 34, 35 and 44. Names end with a zero; addresses and services are padded with blanks.
 */
public final class DiscoveryLog {
    /** Name by which hosts connect to a target's discovery controller. Source: NVMe 1.3 §7.9 */
    public static final String NAME = "nqn.2014-08.org.nvmexpress.discovery";
    /** Bytes of the header, and of an entry. */
    public static final int LENGTH = 1024;

    private static final int COUNT_OFFSET = 8;
    private static final int TRANSPORT_OFFSET = 0;
    private static final int FAMILY_OFFSET = 1;
    private static final int KIND_OFFSET = 2;
    private static final int REQUIREMENTS_OFFSET = 3;
    private static final int PORT_OFFSET = 4;
    private static final int CONTROLLER_OFFSET = 6;
    private static final int ADMIN_ENTRIES_OFFSET = 8;
    private static final int SERVICE_OFFSET = 32;
    private static final int SERVICE_LENGTH = 32;
    private static final int SUBSYSTEM_OFFSET = 256;
    private static final int ADDRESS_OFFSET = 512;
    private static final int ADDRESS_LENGTH = 256;
    private static final int QUEUE_PAIR_OFFSET = 768;
    private static final int PROVIDER_OFFSET = 769;
    private static final int CONNECTION_MANAGER_OFFSET = 770;

    private static final byte RDMA = 1;
    private static final byte IPV4 = 1;
    private static final byte IPV6 = 2;
    private static final byte NVM_SUBSYSTEM = 2;
    /** Nothing is said of secure channels; hosts may ignore the submission queue head. */
    private static final byte REQUIREMENTS = 1 << 2;
    private static final byte CONNECTED = 1;
    private static final byte ANY_PROVIDER = 1;
    private static final byte RDMA_CM = 1;

    private DiscoveryLog() {
    }

    /**
     * Writes the header into zeros. The generation is 0: what a target serves does not change.
     *
     * @param entries that follow
     */
    public static void putHeader(ByteBuffer b, int entries) {
        b.putLong(COUNT_OFFSET, entries);
    }

    /**
     * Writes an entry into zeros, for a subsystem that assigns controllers.
     *
     * @param at           of the entry
     * @param port         number of the address, u16
     * @param ipv6         whether it is one of IPv6
     * @param address      in text, at most 256 bytes
     * @param service      port of TCP's or its port space, in text
     * @param subsystem    1..223 bytes
     * @param adminEntries of an admin queue at most
     */
    public static void putEntry(ByteBuffer b, int at, int port, boolean ipv6, String address, String service, String subsystem,
                                int adminEntries) {
        b.put(at + TRANSPORT_OFFSET, RDMA);
        b.put(at + FAMILY_OFFSET, ipv6 ? IPV6 : IPV4);
        b.put(at + KIND_OFFSET, NVM_SUBSYSTEM);
        b.put(at + REQUIREMENTS_OFFSET, REQUIREMENTS);
        b.putShort(at + PORT_OFFSET, (short) port);
        b.putShort(at + CONTROLLER_OFFSET, (short) ConnectData.ANY_CONTROLLER);
        b.putShort(at + ADMIN_ENTRIES_OFFSET, (short) adminEntries);
        IdentifyController.text(b, at + SERVICE_OFFSET, SERVICE_LENGTH, service);
        b.put(at + SUBSYSTEM_OFFSET, subsystem.getBytes(StandardCharsets.UTF_8));
        IdentifyController.text(b, at + ADDRESS_OFFSET, ADDRESS_LENGTH, address);
        b.put(at + QUEUE_PAIR_OFFSET, CONNECTED);
        b.put(at + PROVIDER_OFFSET, ANY_PROVIDER);
        b.put(at + CONNECTION_MANAGER_OFFSET, RDMA_CM);
    }
}
