// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.softrdma.libibverbs.layout.IbvAhAttr;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.VerbsException;

/** {@code struct ibv_ah}. */
final class NativeAddressHandle extends NativeObject implements AddressHandle {
    private final NativeProtectionDomain pd;
    private final AddressVector vector;

    private NativeAddressHandle(NativeProtectionDomain pd, AddressVector vector, long address) {
        super(pd.nativeContext(), "address handle", address);
        this.pd = pd;
        this.vector = vector;
    }

    static NativeAddressHandle create(NativeProtectionDomain pd, AddressVector vector) {
        if (vector.dgid().isZero()) {
            throw new VerbsException(Errno.EINVAL, "create_ah", vector + ": the destination is no GID");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(IbvAhAttr.BYTES, 8);
            AddressVectors.set(m, 0, vector);
            return new NativeAddressHandle(pd, vector,
                Libibverbs.created(Libibverbs.CREATE_AH.call(pd.address("create_ah"), m.address()), "create_ah",
                    vector + ", from port " + vector.port()));
        }
    }

    @Override
    public ProtectionDomain pd() {
        return pd;
    }

    @Override
    public AddressVector vector() {
        return vector;
    }

    @Override
    boolean uses(NativeObject other) {
        return other == pd;
    }

    @Override
    int destroy(long structure) {
        return (int) Libibverbs.DESTROY_AH.call(structure);
    }

    @Override
    String destroyVerb() {
        return "destroy_ah";
    }
}
