// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.uverbs.CreateAhCommand;
import org.softrdma.abi.uverbs.CreateAhResponse;
import org.softrdma.abi.uverbs.RxeAhResponse;
import org.softrdma.abi.uverbs.UverbsAttribute;
import org.softrdma.abi.uverbs.UverbsCommand;
import org.softrdma.abi.uverbs.UverbsMethod;
import org.softrdma.abi.uverbs.UverbsObject;
import org.softrdma.daemon.verbs.VectorRecords;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.VerbsException;

/** An address handle, which work requests name by a number. */
final class JoinedAddressHandle extends JoinedObject implements AddressHandle {
    private final JoinedDomain pd;
    private final AddressVector vector;
    private int number;

    private JoinedAddressHandle(JoinedDomain pd, AddressVector vector) {
        super(pd.joinedContext(), "address handle");
        this.pd = pd;
        this.vector = vector;
    }

    static JoinedAddressHandle create(JoinedDomain pd, AddressVector vector) {
        int domain = pd.handle("create_ah");
        requireFits("create_ah", vector);
        JoinedAddressHandle made = new JoinedAddressHandle(pd, vector);
        try (Ioctl call = Ioctl.command(pd.joinedContext(), UverbsCommand.CREATE_AH)) {
            MemorySegment in = call.room(CreateAhCommand.BYTES);
            CreateAhCommand.userHandle(in, 0, made.key());
            CreateAhCommand.pdHandle(in, 0, domain);
            VectorRecords.writeAh(in, CreateAhCommand.ATTR_OFFSET, vector);
            MemorySegment out = call.room(CreateAhResponse.BYTES);
            MemorySegment driver = call.room(RxeAhResponse.BYTES);
            call.in(in).out(out).output(UverbsAttribute.UHW_OUT, driver).run("create_ah");
            made.number = RxeAhResponse.ahNum(driver, 0);
            made.created(CreateAhResponse.ahHandle(out, 0));
            return made;
        }
    }

    /**
     * Requires that a vector fits into the fields of the kernel's structures, which would cut it off.
     *
     * @throws VerbsException EINVAL
     */
    static void requireFits(String verb, AddressVector vector) {
        int bytes = vector.sgidIndex() | vector.hopLimit() | vector.trafficClass() | vector.sl() | vector.port();
        if ((bytes & ~0xff) != 0 || (vector.flowLabel() & ~0xfffff) != 0) {
            throw new VerbsException(Errno.EINVAL, verb, vector + ": a field is out of range");
        }
    }

    /** Number in work requests. */
    int number() {
        return number;
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
    boolean uses(JoinedObject other) {
        return other == pd;
    }

    @Override
    void destroy(int handle) {
        try (Ioctl call = new Ioctl(joinedContext(), UverbsObject.AH, UverbsMethod.AH_DESTROY)) {
            call.number(UverbsAttribute.DESTROY_AH_HANDLE, handle).run("destroy_ah");
        }
    }

    @Override
    String destroyVerb() {
        return "destroy_ah";
    }
}
