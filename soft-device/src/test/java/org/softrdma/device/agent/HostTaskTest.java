// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

class HostTaskTest {
    /** A process without file descriptors cannot look at its interfaces: one line, no trace, and none twice a second. */
    @Test
    void shouldReportALastingRefusalOnceWithoutATrace() throws InterruptedException {
        List<LogRecord> records = new CopyOnWriteArrayList<>();
        lookThreeTimes(records::add);
        assertEquals(1, records.size(), records.toString());
        assertNull(records.getFirst().getThrown());
    }

    /** Nor can the JDK load what its first message needs: time zones, for one. */
    @Test
    void shouldGoOnWhereTheLogCannotBeLoaded() throws InterruptedException {
        lookThreeTimes(_ -> {
            throw new NoClassDefFoundError("java.time.zone.TzdbZoneRulesProvider");
        });
    }

    /** Looks in vain until the third time, with a handler of the log. */
    private static void lookThreeTimes(Consumer<LogRecord> log) throws InterruptedException {
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord logged) {
                if (logged.getMessage().startsWith("crowded")) {
                    log.accept(logged);
                }
            }

            @Override
            public void flush() {
            }

            @Override
            public void close() {
            }
        };
        Logger logger = Logger.getLogger(HostTask.class.getName());
        logger.addHandler(handler);
        CountDownLatch looks = new CountDownLatch(3);
        try (HostTask _ = new HostTask("crowded", () -> {
            looks.countDown();
            throw new VerbsException(Errno.EMFILE, "find_netdev", "no more file descriptors");
        })) {
            assertTrue(looks.await(30, TimeUnit.SECONDS), "it looks no more");
        } finally {
            logger.removeHandler(handler);
        }
    }
}
