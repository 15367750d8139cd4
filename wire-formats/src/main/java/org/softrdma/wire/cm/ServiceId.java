// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.cm;

/**
 * How rdma_cm's port spaces and ports are mapped to the service ids of communication management: {@code port space << 16 | port}. Source:
 * IBA vol 1 annex A11 (RDMA IP CM service); the port spaces' numbers are librdmacm's.
 */
public final class ServiceId {
    /** Connections. */
    public static final int PORT_SPACE_TCP = 0x0106;
    /** Datagrams. */
    public static final int PORT_SPACE_UDP = 0x0111;
    /** Datagrams with the Q_Key of an IPoIB group. */
    public static final int PORT_SPACE_IPOIB = 0x0002;
    /** Native InfiniBand addresses. */
    public static final int PORT_SPACE_IB = 0x013F;

    private ServiceId() {
    }

    /**
     * Composes a service id.
     *
     * @param portSpace u16
     * @param port u16
     * @return the service id, u64
     */
    public static long of(int portSpace, int port) {
        return (portSpace & 0xFFFFL) << 16 | port & 0xFFFF;
    }

    /**
     * {@return the port space, u16; 0 if the service id is not one of rdma_cm's}
     *
     * @param serviceId service id, u64
     */
    public static int portSpace(long serviceId) {
        return serviceId >>> 32 == 0 ? (int) (serviceId >>> 16) & 0xFFFF : 0;
    }

    /**
     * {@return the port, u16}
     *
     * @param serviceId service id, u64
     */
    public static int port(long serviceId) {
        return (int) serviceId & 0xFFFF;
    }
}
