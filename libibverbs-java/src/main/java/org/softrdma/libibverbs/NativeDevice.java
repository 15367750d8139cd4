// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.libibverbs.layout.IbvDevice;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.NodeType;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Transport;
import org.softrdma.verbs.VerbsException;

/**
 * A device of {@code ibv_get_device_list}, known by its name.
 *
 * @param netdev name of the interface, empty if the kernel does not show it
 */
record NativeDevice(String name, int index, long nodeGuid, NodeType nodeType, Transport transport, String netdev) implements RdmaDevice {
    static final Path CLASS = Path.of("/sys/class/infiniband");

    private static final System.Logger LOG = System.getLogger(NativeDevice.class.getName());

    /** Returns whether the kernel shows a device; the library lists only those. */
    static boolean isAnyInSysfs() {
        String[] names = CLASS.toFile().list();
        return names != null && names.length > 0;
    }

    /** Lists the devices; none if the kernel has no RDMA, for which the library has ENOSYS. */
    static List<NativeDevice> list() {
        List<NativeDevice> devices = new ArrayList<>();
        try (Listed listed = new Listed()) {
            for (int i = 0; i < listed.count; i++) {
                devices.add(of(listed.device(i)));
            }
        } catch (VerbsException refused) {
            LOG.log(System.Logger.Level.DEBUG, "no devices of libibverbs: " + refused.getMessage());
        }
        return devices;
    }

    /** @param device address of the structure */
    static NativeDevice of(long device) {
        String name = name(device);
        boolean iwarp = IbvDevice.TRANSPORT_TYPE.get(NativeMemory.ALL, device) == Transport.IWARP.value();
        long guid = Libibverbs.GET_DEVICE_GUID.call(device);
        if (ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN) {
            guid = Long.reverseBytes(guid);
        }
        int index = Libibverbs.GET_DEVICE_INDEX.isThere() ? (int) Libibverbs.GET_DEVICE_INDEX.call(device) : -1;
        return new NativeDevice(name, index, guid, iwarp ? NodeType.RNIC : NodeType.CA, iwarp ? Transport.IWARP : Transport.INFINIBAND,
            netdev(name));
    }

    private static String name(long device) {
        return NativeMemory.ALL.asSlice(device + IbvDevice.NAME.offset(), IbvDevice.NAME_BYTES).getString(0);
    }

    private static String netdev(String device) {
        try {
            return Files.readString(CLASS.resolve(device).resolve("ports/1/gid_attrs/ndevs/0")).strip();
        } catch (IOException notShown) {
            return "";
        }
    }

    @Override
    public String origin() {
        return LibibverbsProvider.ORIGIN;
    }

    @Override
    public Context open() {
        try (Listed listed = new Listed()) {
            for (int i = 0; i < listed.count; i++) {
                long device = listed.device(i);
                if (name(device).equals(name)) {
                    return new NativeContext(this, Libibverbs.created(Libibverbs.OPEN_DEVICE.call(device), "open_device", name), false);
                }
            }
        }
        throw new VerbsException(Errno.ENODEV, "open_device", name + " has gone");
    }

    /** The library's list, whose devices exist until it is freed. */
    private static final class Listed implements AutoCloseable {
        private final int count;
        private final long list;

        Listed() {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment number = arena.allocate(JAVA_INT);
                list = Libibverbs.created(Libibverbs.GET_DEVICE_LIST.call(number.address()), "get_device_list", Libibverbs.NAME);
                count = number.get(JAVA_INT, 0);
            }
        }

        long device(int index) {
            return NativeMemory.ALL.get(JAVA_LONG, list + (long) index * Long.BYTES);
        }

        @Override
        public void close() {
            Libibverbs.FREE_DEVICE_LIST.call(list);
        }
    }
}
