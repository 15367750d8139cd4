// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.uverbs.AllocPdResponse;
import org.softrdma.abi.uverbs.HandleCommand;
import org.softrdma.abi.uverbs.UverbsAttribute;
import org.softrdma.device.verbs.SoftProtectionDomain;

/** Methods and commands of protection domains. */
final class PdMethods {
    private PdMethods() {
    }

    static void allocate(UverbsFile file, LegacyCall call) {
        file.handles().requireRoom();
        HeldPd made = new HeldPd((SoftProtectionDomain) file.context().allocatePd());
        file.admit(made, () -> {
            MemorySegment room = call.room();
            AllocPdResponse.pdHandle(room, 0, made.handle());
            call.reply(room, AllocPdResponse.BYTES);
        });
    }

    static void destroy(UverbsFile file, UverbsCall call) {
        file.destroy(file.object(call.number(UverbsAttribute.DESTROY_PD_HANDLE), HeldPd.class));
    }

    static void destroy(UverbsFile file, LegacyCall call) {
        file.destroy(file.object(Integer.toUnsignedLong(HandleCommand.handle(call.input(), 0)), HeldPd.class));
    }
}
