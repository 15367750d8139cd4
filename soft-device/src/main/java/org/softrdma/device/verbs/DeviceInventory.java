// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Optional;
import org.softrdma.host.inspect.Owner;
import org.softrdma.host.inspect.ReportBuilder;
import org.softrdma.host.inspect.ReportSource;
import org.softrdma.host.inspect.Resource;
import org.softrdma.host.inspect.ResourceKind;

/**
 * Inventory of a device that runs in this process: its contexts, their objects, and the counters.
 *
 * @param contexts live view of the open contexts
 */
public record DeviceInventory(String device, Collection<? extends SoftContext> contexts) implements ReportSource {
    @Override
    public void report(ReportBuilder into) {
        ReportBuilder.Device report = into.device(device);
        for (SoftContext context : contexts) {
            // Counters belong to the device: every context reports the same ones.
            report.counters(context.counters());
            Owner owner = context.owner();
            report.add(Owner.name(Resource.of(ResourceKind.CTX).with("ctxn", context.number()), owner));
            context.living.resources().forEach(each -> report.add(Owner.name(each, owner)));
        }
    }

    /** The recorder is the device's: every context has the same one. */
    @Override
    public byte[] recording() {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        try {
            Optional<? extends SoftContext> any = contexts.stream().findFirst();
            if (any.isPresent()) {
                any.get().recorder().record().writeJson(lines);
            }
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return lines.toByteArray();
    }
}
