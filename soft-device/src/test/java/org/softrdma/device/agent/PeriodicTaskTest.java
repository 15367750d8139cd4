// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

class PeriodicTaskTest {
    /** A process without file descriptors cannot look at its interfaces: one line, no trace, and none twice a second. */
    @Test
    void shouldReportALastingRefusalOnceWithoutATrace() throws InterruptedException {
        List<LogRecord> records = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord logged) {
                if (logged.getMessage().startsWith("crowded")) {
                    records.add(logged);
                }
            }

            @Override
            public void flush() {
            }

            @Override
            public void close() {
            }
        };
        Logger logger = Logger.getLogger(PeriodicTask.class.getName());
        logger.addHandler(handler);
        CountDownLatch looks = new CountDownLatch(3);
        try (PeriodicTask _ = new PeriodicTask("crowded", () -> {
            looks.countDown();
            throw new VerbsException(Errno.EMFILE, "find_netdev", "no more file descriptors");
        })) {
            looks.await();
        } finally {
            logger.removeHandler(handler);
        }
        assertEquals(1, records.size(), records.toString());
        assertNull(records.getFirst().getThrown());
    }
}
