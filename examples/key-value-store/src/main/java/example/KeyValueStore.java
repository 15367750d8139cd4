// SPDX-License-Identifier: Apache-2.0
package example;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.AddressInfo;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.PortSpace;

/**
 * A key-value store whose server does nothing: clients read and write its table, and lock an entry with COMPARE AND SWAP.
 *
 * An entry is a version (odd while a client writes it), a key and a value. Key and value are texts that end with a zero.
 */
public final class KeyValueStore {
    private static final int PORT = 7472;
    private static final int ENTRIES = 1024;
    private static final int ENTRY_BYTES = 128;
    private static final int KEY_AT = 8;
    private static final int VALUE_AT = 48;
    private static final QpInitAttributes QUEUES = QpInitAttributes.rc(null, QpCapabilities.ofDepth(4)).withSignalAll(true);

    public static void main(String[] arguments) {
        if (arguments.length == 1) {
            serve();
            return;
        }
        try (Client client = new Client(arguments[0])) {
            if (arguments[1].equals("put")) {
                client.put(arguments[2], arguments[3]);
            } else {
                System.out.println(client.get(arguments[2]));
            }
        }
    }

    private static AddressInfo address(String host) {
        return ConnectionManager.addressInfo(host, PORT, PortSpace.TCP, host == null);
    }

    /** Accepts clients for ever, and lends each the table under a key of its own. */
    private static void serve() {
        MemorySegment table = Arena.ofShared().allocate((long) ENTRIES * ENTRY_BYTES, ENTRY_BYTES);
        try (CmId listener = ConnectionManager.get().createEndpoint(address(null), null, QUEUES)) {
            listener.listen(0);
            System.out.println("server: listening at port " + PORT);
            while (true) {
                CmId id = listener.getRequest();
                MemoryRegion lent = id.pd().register(table, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ANY);
                ByteBuffer place = ByteBuffer.allocate(12).putLong(lent.address()).putInt(lent.rkey());
                id.qp().postReceive(new ReceiveRequest().begin(1));
                id.accept(ConnectionParameters.DEFAULT.withPrivateData(place.array()));
                Thread.startVirtualThread(() -> {
                    // The receive completes, flushed, when the client disconnects.
                    id.awaitReceive(new WorkCompletion());
                    lent.close();
                    id.close();
                });
            }
        }
    }

    private static final class Client implements AutoCloseable {
        private final CmId id;
        private final MemoryRegion entry;
        private final MemoryRegion version;
        private final long table;
        private final int rkey;
        private final WorkCompletion done = new WorkCompletion();

        Client(String host) {
            id = ConnectionManager.get().createEndpoint(address(host), null, QUEUES);
            entry = id.pd().register(Arena.ofAuto().allocate(ENTRY_BYTES, 8), AccessFlags.LOCAL_WRITE);
            version = id.pd().register(Arena.ofAuto().allocate(8, 8), AccessFlags.LOCAL_WRITE);
            id.connect(ConnectionParameters.DEFAULT);
            ByteBuffer lent = ByteBuffer.wrap(id.event().connection().privateData());
            table = lent.getLong();
            rkey = lent.getInt();
        }

        /** Returns the value of a key; empty if it has none. */
        String get(String key) {
            find(key);
            return entry.memory().getString(VALUE_AT);
        }

        void put(String key, String value) {
            long at = find(key);
            while (!swap(at, seen(), seen() + 1)) {
                at = find(key);
            }
            entry.memory().asSlice(KEY_AT).fill((byte) 0);
            entry.memory().setString(KEY_AT, key);
            entry.memory().setString(VALUE_AT, value);
            execute(new SendRequest().write(at + KEY_AT, rkey).element(entry, KEY_AT, ENTRY_BYTES - KEY_AT));
            swap(at, seen() + 1, seen() + 2);
        }

        /** Reads the entry of a key, or the free one where it belongs, into {@link #entry}; returns its address at the server. */
        private long find(String key) {
            for (int probe = 0; probe < ENTRIES; probe++) {
                long at = table + (long) Math.floorMod(key.hashCode() + probe, ENTRIES) * ENTRY_BYTES;
                do {
                    execute(new SendRequest().read(at, rkey).element(entry, 0, ENTRY_BYTES));
                    execute(new SendRequest().read(at, rkey).element(version, 0, 8));
                    // Read once more if a client was writing, or has written meanwhile.
                } while (seen() % 2 != 0 || version.memory().mismatch(entry.memory()) < 8);
                String found = entry.memory().getString(KEY_AT);
                if (found.isEmpty() || found.equals(key)) {
                    return at;
                }
            }
            throw new IllegalStateException("the table is full");
        }

        private long seen() {
            return entry.memory().get(ValueLayout.JAVA_LONG, 0);
        }

        private boolean swap(long at, long from, long to) {
            execute(new SendRequest().compareAndSwap(at, rkey, from, to).element(version, 0, 8));
            return version.memory().get(ValueLayout.JAVA_LONG, 0) == from;
        }

        private void execute(SendRequest work) {
            id.qp().postSend(work);
            id.awaitSend(done);
            done.requireSuccess();
        }

        @Override
        public void close() {
            entry.close();
            version.close();
            id.close();
        }
    }
}
