// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.controller;

import java.nio.ByteBuffer;
import java.util.Locale;
import org.softrdma.storage.nvme.wire.Command;
import org.softrdma.storage.nvme.wire.IdentifyController;
import org.softrdma.storage.nvme.wire.IdentifyNamespace;
import org.softrdma.storage.nvme.wire.NvmeStatus;

/**
 * The Identify command.
 *
 * <p>Source: NVMe 1.3 §5.15.
 */
final class Identification implements CommandSet {
    private static final int NAMESPACE = 0;
    private static final int CONTROLLER = 1;
    private static final int ACTIVE_NAMESPACES = 2;
    private static final int NAMESPACE_DESCRIPTORS = 3;
    /** Namespaces from this number on cannot precede one of a list. */
    private static final int LAST_NAMESPACE = 0xfffffffe;

    private final Controller controller;

    Identification(Controller controller) {
        this.controller = controller;
    }

    private static int structure(CommandSlot command) {
        return command.dword(10) & 0xff;
    }

    @Override
    public void prepare(CommandSlot command) {
        int namespace = Command.namespace(command.capsule());
        NvmeStatus refusal = switch (structure(command)) {
            case NAMESPACE, NAMESPACE_DESCRIPTORS ->
                namespace(command) != null ? NvmeStatus.SUCCESS : NvmeStatus.INVALID_NAMESPACE;
            case CONTROLLER -> NvmeStatus.SUCCESS;
            case ACTIVE_NAMESPACES ->
                Integer.compareUnsigned(namespace, LAST_NAMESPACE) < 0 ? NvmeStatus.SUCCESS : NvmeStatus.INVALID_NAMESPACE;
            default -> NvmeStatus.INVALID_FIELD;
        };
        command.fail(refusal);
        command.gives(IdentifyController.LENGTH);
    }

    @Override
    public void execute(CommandSlot command) {
        ByteBuffer data = command.data();
        for (int at = 0; at < data.limit(); at += Long.BYTES) {
            data.putLong(at, 0);
        }
        switch (structure(command)) {
            case NAMESPACE -> identify(namespace(command)).put(data);
            case NAMESPACE_DESCRIPTORS -> identify(namespace(command)).putDescriptors(data);
            case CONTROLLER -> controller().put(data);
            default -> list(Command.namespace(command.capsule()), data);
        }
    }

    /** Lists the namespaces with numbers above another, u32. */
    private void list(int above, ByteBuffer data) {
        int at = 0;
        for (Namespace each : controller.subsystem().namespaces()) {
            if (Integer.compareUnsigned(each.number(), above) > 0) {
                data.putInt(at, each.number());
                at += Integer.BYTES;
            }
        }
    }

    /** @return null if there is none */
    private Namespace namespace(CommandSlot command) {
        return controller.subsystem().namespace(Command.namespace(command.capsule()));
    }

    private static IdentifyNamespace identify(Namespace namespace) {
        return new IdentifyNamespace(namespace.blocks(), namespace.blockShift(), namespace.store().isReadOnly(), namespace.identity());
    }

    private IdentifyController controller() {
        SubsystemSettings settings = controller.subsystem().settings();
        String serial = String.format(Locale.ROOT, "%016x", controller.subsystem().identity().getMostSignificantBits());
        return new IdentifyController(controller.number(), settings.name(), serial, settings.largestTransfer(), settings.entries(),
            settings.inCapsule(), controller.subsystem().namespaces().size());
    }
}
