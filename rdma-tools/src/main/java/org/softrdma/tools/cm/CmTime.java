// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cm;

import java.util.List;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.Tool;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.cm.EventChannel;

/** {@code cmtime}: measures each step of making many connections at once. The server runs until it is interrupted. */
public final class CmTime implements Tool {
    @Override
    public int run(String name, List<String> arguments, Console console) {
        CmTimeOptions options = CmTimeOptions.parse(name, arguments, console);
        if (options == null) {
            return 1;
        }
        try (EventChannel channel = FirstChannel.create(1)) {
            if (options.common.isClient()) {
                return new CmTimeClient(options, channel, console).run() & 0xff;
            }
            new CmTimeServer(options.common, console).serve(channel);
            return 0;
        } catch (TestFailure failure) {
            return failure.status() & 0xff;
        }
    }

    /** @return the queue pair of either end */
    static QpInitAttributes queuePair() {
        return QpInitAttributes.rc(null, QpCapabilities.MINIMAL);
    }
}
