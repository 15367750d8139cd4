// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import org.softrdma.storage.export.Export;
import org.softrdma.storage.export.FileAttributes;
import org.softrdma.storage.export.FileHandle;
import org.softrdma.storage.export.NewAttributes;
import org.softrdma.storage.export.NfsException;
import org.softrdma.storage.nfs4.state.Nfs4Exception;
import org.softrdma.storage.nfs4.state.Nfs4Status;
import org.softrdma.storage.xdr.XdrException;
import org.softrdma.storage.xdr.XdrReader;
import org.softrdma.storage.xdr.XdrWriter;

/** Attributes on the wire. Their numbers and types: RFC 8881, sections 5.6 to 5.8. */
final class FileAttributesCodec {
    static final int SIZE = 4;
    static final int MODE = 33;
    static final int TIME_ACCESS_SET = 48;
    static final int TIME_MODIFY_SET = 54;

    /** Attributes that are set when a regular file is created; its owner is who runs the server. */
    static final AttributeSet SET_AT_CREATION = AttributeSet.of(SIZE, MODE, TIME_ACCESS_SET, TIME_MODIFY_SET);

    private static final int SUPPORTED = 0;
    private static final int TYPE = 1;
    private static final int HANDLES_EXPIRE = 2;
    private static final int CHANGE = 3;
    private static final int LINK_SUPPORT = 5;
    private static final int SYMLINK_SUPPORT = 6;
    private static final int NAMED_ATTRIBUTES = 7;
    private static final int FILE_SYSTEM = 8;
    private static final int UNIQUE_HANDLES = 9;
    private static final int LEASE_TIME = 10;
    private static final int ERROR = 11;
    private static final int CAN_SET_TIME = 15;
    private static final int CASE_INSENSITIVE = 16;
    private static final int CASE_PRESERVING = 17;
    private static final int CHOWN_RESTRICTED = 18;
    private static final int HANDLE = 19;
    private static final int FILE_ID = 20;
    private static final int HOMOGENEOUS = 26;
    private static final int MAX_FILE_SIZE = 27;
    private static final int MAX_LINK = 28;
    private static final int MAX_NAME = 29;
    private static final int MAX_READ = 30;
    private static final int MAX_WRITE = 31;
    private static final int NO_TRUNCATION = 34;
    private static final int LINKS = 35;
    private static final int OWNER = 36;
    private static final int GROUP = 37;
    private static final int DEVICE = 41;
    private static final int SPACE_AVAILABLE = 42;
    private static final int SPACE_FREE = 43;
    private static final int SPACE_TOTAL = 44;
    private static final int SPACE_USED = 45;
    private static final int TIME_ACCESS = 47;
    private static final int TIME_DELTA = 51;
    private static final int TIME_CHANGED = 52;
    private static final int TIME_MODIFIED = 53;
    private static final int MOUNTED_ON_FILE_ID = 55;
    private static final int SETTABLE_BY_EXCLUSIVE_CREATE = 75;

    private static final AttributeSet READABLE = AttributeSet.of(SUPPORTED, TYPE, HANDLES_EXPIRE, CHANGE, SIZE, LINK_SUPPORT,
        SYMLINK_SUPPORT, NAMED_ATTRIBUTES, FILE_SYSTEM, UNIQUE_HANDLES, LEASE_TIME, ERROR, CAN_SET_TIME, CASE_INSENSITIVE, CASE_PRESERVING,
        CHOWN_RESTRICTED, HANDLE, FILE_ID, HOMOGENEOUS, MAX_FILE_SIZE, MAX_LINK, MAX_NAME, MAX_READ, MAX_WRITE, MODE, NO_TRUNCATION, LINKS,
        OWNER, GROUP, DEVICE, SPACE_AVAILABLE, SPACE_FREE, SPACE_TOTAL, SPACE_USED, TIME_ACCESS, TIME_DELTA, TIME_CHANGED, TIME_MODIFIED,
        MOUNTED_ON_FILE_ID, SETTABLE_BY_EXCLUSIVE_CREATE);
    private static final AttributeSet WRITABLE = AttributeSet.of(SIZE, MODE, OWNER, GROUP, TIME_ACCESS_SET, TIME_MODIFY_SET);
    private static final AttributeSet ALL = new AttributeSet(READABLE.low() | WRITABLE.low(), READABLE.high(), false);
    /** The times are where the verifier of an exclusive creation is kept. */
    private static final AttributeSet OF_EXCLUSIVE_CREATE = AttributeSet.of(MODE);

    private static final int PERSISTENT = 0;
    private static final int MAX_LINKS = 32000;
    private static final int MAX_OWNER_NAME = 256;
    private static final int MAX_LIST = 4096;
    private static final int BLOCK = 4096;
    private static final int SET_TO_SERVER_TIME = 0;
    private static final int SET_TO_CLIENT_TIME = 1;

    private final Export export;
    private final Clock clock;
    private final int leaseSeconds;

    /** Attributes to be set, and their numbers. */
    record Settable(AttributeSet numbers, NewAttributes values) {
    }

    /** Attributes as bytes, and their numbers. */
    record Comparable(AttributeSet numbers, ByteBuffer values) {
    }

    FileAttributesCodec(Export export, Clock clock, int leaseSeconds) {
        this.export = export;
        this.clock = clock;
        this.leaseSeconds = leaseSeconds;
    }

    // ---- results ----

    /** Writes those of the wanted attributes that are supported. */
    void write(AttributeSet wanted, FileAttributes file, XdrWriter results) throws NfsException, IOException {
        AttributeSet given = wanted.and(READABLE);
        given.write(results);
        int lengthAt = results.position();
        results.u32(0);
        FileStore store = given.has(SPACE_AVAILABLE) || given.has(SPACE_FREE) || given.has(SPACE_TOTAL) ? export.store() : null;
        for (int i = 0; i <= SETTABLE_BY_EXCLUSIVE_CREATE; i++) {
            if (given.has(i)) {
                write(i, file, store, results);
            }
        }
        int end = results.position();
        results.position(lengthAt);
        results.u32(end - lengthAt - 4);
        results.position(end);
    }

    private void write(int attribute, FileAttributes file, FileStore store, XdrWriter results) throws IOException {
        FileHandle handle = file.handle();
        switch (attribute) {
            case SUPPORTED -> ALL.write(results);
            case TYPE -> results.u32(file.type().code());
            case HANDLES_EXPIRE -> results.u32(PERSISTENT);
            case CHANGE -> results.u64(Nfs4Types.change(file));
            case SIZE -> results.u64(file.size());
            case LINK_SUPPORT, SYMLINK_SUPPORT, UNIQUE_HANDLES, CAN_SET_TIME, CASE_PRESERVING, CHOWN_RESTRICTED, HOMOGENEOUS,
                NO_TRUNCATION -> results.bool(true);
            case NAMED_ATTRIBUTES, CASE_INSENSITIVE -> results.bool(false);
            case FILE_SYSTEM -> results.u64(handle.device()).u64(0);
            case LEASE_TIME -> results.u32(leaseSeconds);
            case ERROR -> results.u32(0);
            case HANDLE -> results.opaque(handle.toBytes());
            case FILE_ID, MOUNTED_ON_FILE_ID -> results.u64(handle.inode());
            case MAX_FILE_SIZE -> results.u64(Long.MAX_VALUE);
            case MAX_LINK -> results.u32(MAX_LINKS);
            case MAX_NAME -> results.u32(Export.MAX_NAME);
            case MAX_READ, MAX_WRITE -> results.u64(Nfs4Program.MAX_DATA);
            case MODE -> results.u32(file.mode());
            case LINKS -> results.u32(file.links());
            case OWNER -> results.opaque(Integer.toUnsignedString(file.uid()).getBytes(StandardCharsets.US_ASCII));
            case GROUP -> results.opaque(Integer.toUnsignedString(file.gid()).getBytes(StandardCharsets.US_ASCII));
            case DEVICE -> results.u32(file.deviceMajor()).u32(file.deviceMinor());
            case SPACE_AVAILABLE -> results.u64(store.getUsableSpace());
            case SPACE_FREE -> results.u64(store.getUnallocatedSpace());
            case SPACE_TOTAL -> results.u64(store.getTotalSpace());
            case SPACE_USED -> results.u64((file.size() + BLOCK - 1) / BLOCK * BLOCK);
            case TIME_ACCESS -> Nfs4Types.time(results, file.accessed());
            case TIME_DELTA -> results.u64(0).u32(1);
            case TIME_CHANGED -> Nfs4Types.time(results, file.changed());
            case TIME_MODIFIED -> Nfs4Types.time(results, file.modified());
            case SETTABLE_BY_EXCLUSIVE_CREATE -> OF_EXCLUSIVE_CREATE.write(results);
            default -> throw new IllegalStateException("attribute " + attribute);
        }
    }

    // ---- arguments ----

    /**
     * Reads attributes to be compared with a file's.
     *
     * @throws Nfs4Exception ATTRNOTSUPP; INVAL: one cannot be read
     */
    Comparable readComparable(XdrReader arguments) throws Nfs4Exception {
        AttributeSet numbers = AttributeSet.read(arguments);
        ByteBuffer values = arguments.opaque(MAX_LIST);
        if (!numbers.isWithin(ALL)) {
            throw new Nfs4Exception(Nfs4Status.ATTRNOTSUPP);
        }
        if (!numbers.isWithin(READABLE) || numbers.has(ERROR)) {
            throw new Nfs4Exception(Nfs4Status.INVAL);
        }
        return new Comparable(numbers, values);
    }

    /** Whether a file has such attributes. */
    boolean isSame(Comparable given, FileAttributes file) throws NfsException, IOException {
        ByteBuffer present = ByteBuffer.allocate(MAX_LIST);
        write(given.numbers, file, new XdrWriter(present));
        XdrReader reader = new XdrReader(present.flip());
        AttributeSet.read(reader);
        return reader.opaque(MAX_LIST).equals(given.values);
    }

    /**
     * Reads attributes to be set.
     *
     * @throws Nfs4Exception ATTRNOTSUPP, BADOWNER; INVAL: one cannot be set
     */
    Settable read(XdrReader arguments) throws Nfs4Exception {
        AttributeSet numbers = AttributeSet.read(arguments);
        XdrReader list = new XdrReader(arguments.opaque(MAX_LIST));
        if (!numbers.isWithin(ALL)) {
            throw new Nfs4Exception(Nfs4Status.ATTRNOTSUPP);
        }
        if (!numbers.isWithin(WRITABLE)) {
            throw new Nfs4Exception(Nfs4Status.INVAL);
        }
        Long size = numbers.has(SIZE) ? list.u64() : null;
        Integer mode = numbers.has(MODE) ? list.u32() : null;
        Integer uid = numbers.has(OWNER) ? id(list) : null;
        Integer gid = numbers.has(GROUP) ? id(list) : null;
        FileTime accessed = numbers.has(TIME_ACCESS_SET) ? newTime(list) : null;
        FileTime modified = numbers.has(TIME_MODIFY_SET) ? newTime(list) : null;
        return new Settable(numbers, new NewAttributes(mode, uid, gid, size, accessed, modified));
    }

    /** Reads the number of a user or group. Names are not known here: Linux sends numbers with AUTH_SYS. */
    private static Integer id(XdrReader list) throws Nfs4Exception {
        try {
            return Integer.parseUnsignedInt(StandardCharsets.UTF_8.decode(list.opaque(MAX_OWNER_NAME)).toString());
        } catch (NumberFormatException name) {
            throw new Nfs4Exception(Nfs4Status.BADOWNER);
        }
    }

    private FileTime newTime(XdrReader list) throws Nfs4Exception {
        return switch (list.u32()) {
            case SET_TO_SERVER_TIME -> FileTime.from(clock.instant());
            case SET_TO_CLIENT_TIME -> Nfs4Types.time(list);
            default -> throw XdrException.unknown("how to set a time");
        };
    }
}
