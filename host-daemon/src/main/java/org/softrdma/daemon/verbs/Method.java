// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import java.util.ArrayList;
import java.util.List;
import org.softrdma.abi.uverbs.IoctlBundle;
import org.softrdma.abi.uverbs.UverbsAttribute;

/**
 * A method of the ioctl: the attributes that it knows, and what it does.
 *
 * @param known set of the attributes, for {@link IoctlBundle#refusal}
 */
record Method(List<AttributeSpec> attributes, long known, Handler handler) {
    private static final int DRIVER_MAX_BYTES = 0xFFFF;
    /** Attributes of the driver, which every method may have. */
    private static final List<AttributeSpec> DRIVER = List.of(
        new AttributeSpec(UverbsAttribute.UHW_IN, AttributeSpec.Kind.INPUT, 0, DRIVER_MAX_BYTES, false),
        new AttributeSpec(UverbsAttribute.UHW_OUT, AttributeSpec.Kind.OUTPUT, 0, DRIVER_MAX_BYTES, false));

    /** Execution of a method, with the lock of the file held. */
    interface Handler {
        /**
         * Executes a call whose attributes have the required lengths.
         *
         * @throws org.softrdma.verbs.VerbsException the errno that the ioctl returns; nothing has changed then
         */
        void run(UverbsFile file, UverbsCall call);
    }

    /** Creates a method; the driver's attributes are added. */
    static Method of(Handler handler, AttributeSpec... specs) {
        List<AttributeSpec> all = new ArrayList<>(List.of(specs));
        all.addAll(DRIVER);
        int[] ids = all.stream().mapToInt(AttributeSpec::id).toArray();
        return new Method(List.copyOf(all), IoctlBundle.known(ids), handler);
    }
}
