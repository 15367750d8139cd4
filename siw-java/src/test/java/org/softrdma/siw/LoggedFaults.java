// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Collects warnings and errors logged by us or by Netty, whose event loop logs exceptions from its callbacks. */
final class LoggedFaults extends Handler implements AutoCloseable {
    private static final Logger ALL = Logger.getLogger("");

    private final List<String> faults = new CopyOnWriteArrayList<>();

    LoggedFaults() {
        setLevel(Level.WARNING);
        ALL.addHandler(this);
    }

    @Override
    public void publish(LogRecord record) {
        if (isLoggable(record)) {
            faults.add(record.getLoggerName() + ": " + record.getMessage() + (record.getThrown() == null ? "" : " " + record.getThrown()));
        }
    }

    List<String> faults() {
        return List.copyOf(faults);
    }

    @Override
    public void flush() {
    }

    @Override
    public void close() {
        ALL.removeHandler(this);
    }
}
