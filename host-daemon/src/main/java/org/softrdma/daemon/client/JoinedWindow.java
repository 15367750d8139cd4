// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.uverbs.AllocMwCommand;
import org.softrdma.abi.uverbs.AllocMwResponse;
import org.softrdma.abi.uverbs.UverbsAttribute;
import org.softrdma.abi.uverbs.UverbsCommand;
import org.softrdma.abi.uverbs.UverbsMethod;
import org.softrdma.abi.uverbs.UverbsObject;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.ProtectionDomain;

/** A memory window. Its key is that of its allocation (type 2), or of the last binding (type 1). */
final class JoinedWindow extends JoinedObject implements MemoryWindow {
    private final JoinedDomain pd;
    private final Type type;
    private volatile int rkey;

    private JoinedWindow(JoinedDomain pd, Type type) {
        super(pd.joinedContext(), "memory window");
        this.pd = pd;
        this.type = type;
    }

    static JoinedWindow allocate(JoinedDomain pd, Type type) {
        int domain = pd.handle("alloc_mw");
        JoinedWindow made = new JoinedWindow(pd, type);
        try (Ioctl call = Ioctl.command(pd.joinedContext(), UverbsCommand.ALLOC_MW)) {
            MemorySegment in = call.room(AllocMwCommand.BYTES);
            AllocMwCommand.pdHandle(in, 0, domain);
            AllocMwCommand.mwType(in, 0, type.value());
            MemorySegment out = call.room(AllocMwResponse.BYTES);
            call.in(in).out(out).run("alloc_mw");
            made.rkey = AllocMwResponse.rkey(out, 0);
            made.created(AllocMwResponse.mwHandle(out, 0));
            pd.add(made, made.rkey);
            return made;
        }
    }

    @Override
    public ProtectionDomain pd() {
        return pd;
    }

    @Override
    public Type type() {
        return type;
    }

    @Override
    public int rkey() {
        requireOpen("query_mw");
        return rkey;
    }

    /** Sets the key of a window of type 1 that was bound. */
    void boundTo(int key) {
        rkey = key;
    }

    @Override
    boolean uses(JoinedObject other) {
        return other == pd;
    }

    @Override
    void destroy(int handle) {
        try (Ioctl call = new Ioctl(joinedContext(), UverbsObject.MW, UverbsMethod.MW_DESTROY)) {
            call.number(UverbsAttribute.DESTROY_MW_HANDLE, handle).run("dealloc_mw");
        }
        pd.remove(this, rkey);
    }

    @Override
    String destroyVerb() {
        return "dealloc_mw";
    }
}
