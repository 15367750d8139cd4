// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.softrdma.host.orphans.ConnectionRecord;
import org.softrdma.rxe.cm.DisconnectStore;
import org.softrdma.rxe.cm.GidPair;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.wire.cm.CmCheck;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.mad.Mad;

/**
 * Keeps the DREQs of a device's connections in this process's {@link ConnectionRecord}. An entry is the RoCE version (1 or 2), our address,
 * the peer's address, and the beginning of the MAD; the rest of a DREQ is zero.
 */
final class RecordedDisconnects implements DisconnectStore {
    /** The MAD's header, both communication IDs and the queue pair number. */
    private static final int MAD_BYTES = 36;
    private static final int ENTRY_BYTES = 1 + 4 * Long.BYTES + MAD_BYTES;

    private final ConnectionRecord record;

    RecordedDisconnects(ConnectionRecord record) {
        this.record = record;
    }

    /** A DREQ that was read from a record. */
    record Entry(GidPair gids, ByteBuffer dreq) {
    }

    @Override
    public int keep(GidPair gids, ByteBuffer dreq) {
        return record.add(encode(gids, dreq));
    }

    @Override
    public void release(int key) {
        record.remove(key);
    }

    static byte[] encode(GidPair gids, ByteBuffer dreq) {
        byte[] entry = new byte[ENTRY_BYTES];
        ByteBuffer.wrap(entry).put((byte) (gids.type() == GidType.ROCE_V1 ? 1 : 2))
            .putLong(gids.local().high()).putLong(gids.local().low())
            .putLong(gids.remote().high()).putLong(gids.remote().low())
            .put(dreq.array(), 0, MAD_BYTES);
        return entry;
    }

    /** Decodes an entry; null if it is not one of these. */
    static Entry decode(byte[] entry) {
        if (entry.length != ENTRY_BYTES || entry[0] != 1 && entry[0] != 2) {
            return null;
        }
        ByteBuffer from = ByteBuffer.wrap(entry, 1, ENTRY_BYTES - 1);
        GidPair gids = new GidPair(entry[0] == 1 ? GidType.ROCE_V1 : GidType.ROCE_V2, new Gid(from.getLong(), from.getLong()),
            new Gid(from.getLong(), from.getLong()));
        ByteBuffer mad = ByteBuffer.wrap(Arrays.copyOfRange(entry, ENTRY_BYTES - MAD_BYTES, ENTRY_BYTES - MAD_BYTES + Mad.LENGTH));
        boolean valid = CmCheck.verdict(mad, 0, Mad.LENGTH) == CmCheck.OK && Mad.attribute(mad, 0) == CmMessage.DREQ
            && gids.local().isIpv4Mapped() == gids.remote().isIpv4Mapped();
        return valid ? new Entry(gids, mad) : null;
    }
}
