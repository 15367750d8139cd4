// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4;

import java.nio.BufferOverflowException;
import java.time.Clock;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.softrdma.storage.export.Changes;
import org.softrdma.storage.export.Export;
import org.softrdma.storage.nfs4.state.ChannelAttributes;
import org.softrdma.storage.nfs4.state.Clients;
import org.softrdma.storage.nfs4.state.LockStates;
import org.softrdma.storage.nfs4.state.OpenStates;
import org.softrdma.storage.rpc.ResultItems;
import org.softrdma.storage.rpc.RpcProgram;
import org.softrdma.storage.xdr.XdrReader;
import org.softrdma.storage.xdr.XdrWriter;

/** NFS version 4.1 on an export, without delegations, layouts, access control lists and calls to the client. Source: RFC 8881. */
public final class Nfs4Program implements RpcProgram {
    /** Data of one READ or WRITE at most, bytes. */
    public static final int MAX_DATA = 1 << 20;

    private static final int PROGRAM = 100003;
    private static final int VERSION = 4;
    private static final int PROCEDURES = 2;
    private static final int NULL = 0;

    /** Bytes of a call or reply beside the data of a READ or WRITE. */
    private static final int HEADERS = 1 << 16;
    /** Calls of a session under way: as many as a connection has credits. */
    private static final int SLOTS = 32;
    private static final int MAX_CACHED = 4096;
    private static final long SECOND_NS = 1_000_000_000;

    private final Compound compound;

    /**
     * Identity of a server.
     *
     * @param boot          another one for each start, u32, not 0 or all ones
     * @param name          the same for each start, and another one than other servers have
     * @param leaseSeconds  how long a client may be silent
     * @param graceSeconds  how long after the start clients may claim what they had open and locked before
     */
    public record Identity(int boot, byte[] name, int leaseSeconds, int graceSeconds) {
    }

    /**
     * @param clock         for times that clients set to the server's
     * @param nanoTime      for leases
     * @param writeVerifier another one for each start of the server: clients write again what was not committed before
     */
    public Nfs4Program(Export export, Clock clock, LongSupplier nanoTime, long writeVerifier, Identity identity) {
        int longest = MAX_DATA + HEADERS;
        ChannelAttributes limits = new ChannelAttributes(longest, longest, MAX_CACHED, Compound.MAX_OPERATIONS, SLOTS);
        Clients clients = new Clients(identity.boot, limits, identity.leaseSeconds * SECOND_NS,
            nanoTime.getAsLong() + identity.graceSeconds * SECOND_NS);
        OpenStates opens = new OpenStates(clients);
        LockStates locks = new LockStates(clients, opens);
        // Guards the three.
        Object lock = new Object();
        Changes changes = new Changes(export);
        FileAttributesCodec codec = new FileAttributesCodec(export, clock, identity.leaseSeconds);
        Map<Operation.Theme, Operations> themes = new EnumMap<>(Operation.Theme.class);
        themes.put(Operation.Theme.SESSION, new SessionOperations(clients, lock, identity.name));
        themes.put(Operation.Theme.CURRENT_FILE, new CurrentFileOperations(export));
        themes.put(Operation.Theme.ATTRIBUTES, new AttributeOperations(export, changes, codec, opens, lock));
        themes.put(Operation.Theme.DATA, new DataOperations(export, opens, lock, writeVerifier));
        themes.put(Operation.Theme.DIRECTORY, new DirectoryOperations(export, codec));
        themes.put(Operation.Theme.NAMES, new NameOperations(export, changes, codec));
        themes.put(Operation.Theme.OPEN, new OpenOperations(export, changes, codec, opens, lock));
        themes.put(Operation.Theme.LOCKS, new LockOperations(clients, locks, lock));
        compound = new Compound(themes, lock, nanoTime);
    }

    @Override
    public int number() {
        return PROGRAM;
    }

    @Override
    public int version() {
        return VERSION;
    }

    @Override
    public int procedures() {
        return PROCEDURES;
    }

    /** Sessions keep the replies. */
    @Override
    public boolean isNonIdempotent(int procedure) {
        return false;
    }

    @Override
    public boolean isShort(int procedure, XdrReader arguments) {
        return procedure != NULL && ShortCompounds.isShort(arguments);
    }

    /** @throws BufferOverflowException the results are too long even for the status */
    @Override
    public void execute(int procedure, XdrReader arguments, XdrWriter results, ResultItems items) {
        if (procedure != NULL) {
            compound.execute(arguments, results, items);
        }
    }
}
