// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.uverbs.AhAttributes;
import org.softrdma.abi.uverbs.CreateAhCommand;
import org.softrdma.abi.uverbs.CreateAhResponse;
import org.softrdma.abi.uverbs.HandleCommand;
import org.softrdma.abi.uverbs.UverbsAttribute;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.AddressVector;

/** Methods and commands of address handles. */
final class AhMethods {

    private AhMethods() {
    }

    static void create(UverbsFile file, LegacyCall call) {
        MemorySegment in = call.input();
        HeldPd pd = file.legacyObject(CreateAhCommand.pdHandle(in, 0), HeldPd.class);
        AddressVector vector = vector(in);
        file.handles().requireRoom();
        AddressHandle handle = pd.pd().createAh(vector);
        HeldAh made;
        try {
            made = new HeldAh(handle, file.objects(), file.objects().add(handle));
        } catch (RuntimeException refused) {
            handle.close();
            throw refused;
        }
        file.admit(made, () -> {
            file.driver().ahCreated(call.whole(), made);
            MemorySegment room = call.room();
            CreateAhResponse.ahHandle(room, 0, made.handle());
            call.reply(room, CreateAhResponse.BYTES);
        });
    }

    private static AddressVector vector(MemorySegment in) {
        long at = CreateAhCommand.ATTR_OFFSET;
        if (AhAttributes.isGlobal(in, at) == 0) {
            throw Refusals.invalid("an address handle without a GRH; RoCE needs one");
        }
        return VectorRecords.readAh(in, at);
    }

    static void destroy(UverbsFile file, UverbsCall call) {
        file.destroy(file.object(call.number(UverbsAttribute.DESTROY_AH_HANDLE), HeldAh.class));
    }

    static void destroy(UverbsFile file, LegacyCall call) {
        file.destroy(file.object(Integer.toUnsignedLong(HandleCommand.handle(call.input(), 0)), HeldAh.class));
    }
}
