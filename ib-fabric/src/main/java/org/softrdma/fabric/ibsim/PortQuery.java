// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ibsim;

import java.nio.ByteBuffer;
import org.softrdma.fabric.model.FabricPort;
import org.softrdma.wire.ib.NodeInfo;
import org.softrdma.wire.ib.PortInfo;

/** Answers to a client's control messages about its port, for the files that libraries read in place of sysfs. */
final class PortQuery {
    private static final int DATA = SimControl.DATA_OFFSET;
    private static final int PKEYS = 32;
    private static final long FIRMWARE = 1;

    private PortQuery() {
    }

    /**
     * Writes the answer into the request.
     *
     * @return false if the type is unknown
     */
    static boolean answer(int type, FabricPort port, ByteBuffer control) {
        int asked = control.get(DATA) & 0xFF;
        for (int i = 0; i < SimControl.DATA_LENGTH; i++) {
            control.put(DATA + i, (byte) 0);
        }
        switch (type) {
            case SimControl.GET_PORT -> {
                control.putShort(DATA, (short) port.lid());
                control.put(DATA + 2, (byte) port.state());
            }
            case SimControl.GET_VENDOR -> {
                ByteBuffer info = port.copyNodeInfo();
                control.putInt(DATA, NodeInfo.VENDOR_ID.get(info, 0));
                control.putInt(DATA + 4, NodeInfo.DEVICE_ID.get(info, 0));
                control.putInt(DATA + 8, NodeInfo.REVISION.get(info, 0));
                control.putLong(DATA + 16, FIRMWARE);
            }
            case SimControl.GET_GID -> {
                putBigEndian(control, DATA, PortInfo.GID_PREFIX.getLong(port.copyInfo(), 0));
                putBigEndian(control, DATA + 8, port.guid());
            }
            case SimControl.GET_GUID -> putBigEndian(control, DATA, port.node().guid());
            case SimControl.GET_NODE_INFO -> control.put(DATA, port.copyNodeInfo(), 0, NodeInfo.LENGTH);
            case SimControl.GET_PORT_INFO -> control.put(DATA, chosen(port, asked).copyInfo(), 0, PortInfo.LENGTH);
            case SimControl.GET_PKEYS -> {
                for (int i = 0; i < PKEYS; i++) {
                    control.put(DATA + 2 * i, (byte) (port.pkey(i) >>> 8));
                    control.put(DATA + 2 * i + 1, (byte) port.pkey(i));
                }
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private static FabricPort chosen(FabricPort port, int number) {
        FabricPort other = number == 0 ? null : port.node().port(number);
        return other == null ? port : other;
    }

    private static void putBigEndian(ByteBuffer control, int at, long value) {
        for (int i = 0; i < Long.BYTES; i++) {
            control.put(at + i, (byte) (value >>> 56 - 8 * i));
        }
    }
}
