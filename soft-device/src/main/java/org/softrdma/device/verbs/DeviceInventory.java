// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.util.Collection;
import org.softrdma.host.inspect.ReportBuilder;
import org.softrdma.host.inspect.ReportSource;
import org.softrdma.host.inspect.Resource;
import org.softrdma.host.inspect.ResourceKind;

/**
 * What a process has on a device it runs: the contexts, their objects, and the counters.
 *
 * @param contexts those that are open, whenever it is looked at
 */
public record DeviceInventory(String device, Collection<? extends SoftContext> contexts) implements ReportSource {
    @Override
    public void report(ReportBuilder into) {
        ReportBuilder.Device report = into.device(device);
        for (SoftContext context : contexts) {
            // They are the device's, and the same in all contexts.
            report.counters(context.counters());
            report.add(Resource.of(ResourceKind.CTX).with("ctxn", context.number()));
            context.living.report(report);
        }
    }
}
