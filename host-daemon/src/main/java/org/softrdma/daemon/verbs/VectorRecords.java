// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.uverbs.AhAttributes;
import org.softrdma.abi.uverbs.QpDestination;
import org.softrdma.verbs.AddressVector;

/** Address vectors in the two structures that the kernel has for them. All have a GRH. */
public final class VectorRecords {
    private static final int FLOW_LABEL_MASK = 0xFFFFF;

    private VectorRecords() {
    }

    /** Writes a vector into {@link AhAttributes}, which are zero before. */
    public static void writeAh(MemorySegment to, long at, AddressVector vector) {
        GidBytes.write(to, at + AhAttributes.DGID_OFFSET, vector.dgid());
        AhAttributes.flowLabel(to, at, vector.flowLabel());
        AhAttributes.sgidIndex(to, at, vector.sgidIndex());
        AhAttributes.hopLimit(to, at, vector.hopLimit());
        AhAttributes.trafficClass(to, at, vector.trafficClass());
        AhAttributes.sl(to, at, vector.sl());
        AhAttributes.isGlobal(to, at, 1);
        AhAttributes.portNum(to, at, vector.port());
    }

    /** Reads a vector from {@link AhAttributes}. */
    public static AddressVector readAh(MemorySegment from, long at) {
        return new AddressVector(GidBytes.read(from, at + AhAttributes.DGID_OFFSET), AhAttributes.sgidIndex(from, at),
            AhAttributes.flowLabel(from, at) & FLOW_LABEL_MASK, AhAttributes.hopLimit(from, at), AhAttributes.trafficClass(from, at),
            AhAttributes.sl(from, at), AhAttributes.portNum(from, at));
    }

    /** Writes a vector into a {@link QpDestination}, which is zero before. */
    public static void writeDestination(MemorySegment to, long at, AddressVector vector) {
        GidBytes.write(to, at + QpDestination.DGID_OFFSET, vector.dgid());
        QpDestination.flowLabel(to, at, vector.flowLabel());
        QpDestination.sgidIndex(to, at, vector.sgidIndex());
        QpDestination.hopLimit(to, at, vector.hopLimit());
        QpDestination.trafficClass(to, at, vector.trafficClass());
        QpDestination.sl(to, at, vector.sl());
        QpDestination.isGlobal(to, at, 1);
        QpDestination.portNum(to, at, vector.port());
    }

    /** Reads a vector from a {@link QpDestination}. */
    public static AddressVector readDestination(MemorySegment from, long at) {
        return new AddressVector(GidBytes.read(from, at + QpDestination.DGID_OFFSET), QpDestination.sgidIndex(from, at),
            QpDestination.flowLabel(from, at) & FLOW_LABEL_MASK, QpDestination.hopLimit(from, at), QpDestination.trafficClass(from, at),
            QpDestination.sl(from, at), QpDestination.portNum(from, at));
    }
}
