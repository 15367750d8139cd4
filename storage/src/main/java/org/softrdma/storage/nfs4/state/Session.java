// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4.state;

/** A session of a client: slots for its calls, and the replies to the last call of each. Source: RFC 8881, section 2.10.6. */
public final class Session {
    final SessionId id;
    final Client client;
    private final ChannelAttributes attributes;
    private final int createSequence;
    private final Slot[] slots;

    private static final class Slot {
        /** Of the last call, u32. */
        private int sequence;
        private boolean busy;
        /** Null if it is not kept. */
        private byte[] reply;
    }

    Session(SessionId id, Client client, ChannelAttributes attributes, int createSequence) {
        this.id = id;
        this.client = client;
        this.attributes = attributes;
        this.createSequence = createSequence;
        slots = new Slot[attributes.maxRequests()];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = new Slot();
        }
    }

    public SessionId id() {
        return id;
    }

    public Client client() {
        return client;
    }

    public ChannelAttributes attributes() {
        return attributes;
    }

    /** Sequence of the CREATE_SESSION that made it, u32. */
    public int createSequence() {
        return createSequence;
    }

    public int slots() {
        return slots.length;
    }

    /**
     * Begins a call, which {@link #end} must follow.
     *
     * @param slot     u32
     * @param sequence u32
     * @return null if the call is new; else the reply of the first one
     * @throws Nfs4Exception BADSLOT, SEQ_MISORDERED; DELAY: the first one is being executed; RETRY_UNCACHED_REP: its reply was not kept
     */
    byte[] begin(int slot, int sequence) throws Nfs4Exception {
        if (slot < 0 || slot >= slots.length) {
            throw new Nfs4Exception(Nfs4Status.BADSLOT);
        }
        Slot each = slots[slot];
        if (each.busy) {
            throw new Nfs4Exception(sequence == each.sequence ? Nfs4Status.DELAY : Nfs4Status.SEQ_MISORDERED);
        }
        if (sequence == each.sequence + 1) {
            each.sequence = sequence;
            each.reply = null;
            each.busy = true;
            return null;
        }
        if (sequence != each.sequence || sequence == 0) {
            throw new Nfs4Exception(Nfs4Status.SEQ_MISORDERED);
        }
        if (each.reply == null) {
            throw new Nfs4Exception(Nfs4Status.RETRY_UNCACHED_REP);
        }
        return each.reply;
    }

    /** @param reply null if it is not kept */
    public void end(int slot, byte[] reply) {
        slots[slot].busy = false;
        slots[slot].reply = reply;
    }

    boolean isBusy() {
        for (Slot each : slots) {
            if (each.busy) {
                return true;
            }
        }
        return false;
    }
}
