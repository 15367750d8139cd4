// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.load;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;
import org.softrdma.verbs.QueuePair;

/**
 * What 10,000 connected queue pairs cost that do nothing: heap and native memory of each, and the speed of one active among them compared
 * with one alone. Native memory is the JVM's own count (NativeMemoryTracking must be on) without the heap.
 */
final class IdleQueuePairs {
    private static final Pattern TOTAL = Pattern.compile("Total: reserved=\\d+, committed=(\\d+)");
    private static final Pattern HEAP = Pattern.compile("Java Heap \\(reserved=\\d+, committed=(\\d+)\\)");

    private final Settings settings;
    private final int count;
    private final int depth;

    IdleQueuePairs(Settings settings) {
        this.settings = settings;
        count = settings.number("count", 10_000);
        depth = settings.number("depth", 16);
    }

    private record Memory(long heap, long nativeBytes, long resident) {
        static Memory now() {
            System.gc();
            System.gc();
            long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
            String summary = nativeSummary();
            return new Memory(heap, number(TOTAL, summary) - number(HEAP, summary), residentBytes());
        }

        private static String nativeSummary() {
            try {
                return (String) ManagementFactory.getPlatformMBeanServer().invoke(
                    new ObjectName("com.sun.management:type=DiagnosticCommand"), "vmNativeMemory",
                    new Object[] {new String[] {"summary", "scale=b"}}, new String[] {String[].class.getName()});
            } catch (JMException missing) {
                return "";
            }
        }

        private static long number(Pattern pattern, String text) {
            Matcher matcher = pattern.matcher(text);
            return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
        }

        private static long residentBytes() {
            try {
                return 4096L * Long.parseLong(Files.readString(Path.of("/proc/self/statm")).split(" ")[1]);
            } catch (IOException none) {
                return 0;
            }
        }
    }

    void client(Control control) throws IOException {
        End end = new End(settings, 4096, 512, 16, false);
        QueuePair[] active = end.queuePairs(1, 256, 1);
        end.connect(active, control);
        SmallWrites writes = new SmallWrites(end, active[0]);
        writes.run(settings.seconds("firstWarm", 2));
        double alone = writes.run(settings.seconds("seconds", 2));
        // The first of them load classes and fill caches that all share.
        end.connect(end.queuePairs(100, depth, depth), control);
        Memory before = Memory.now();
        long startNs = System.nanoTime();
        QueuePair[] idle = end.queuePairs(count, depth, depth);
        long createdNs = System.nanoTime();
        end.connect(idle, control);
        long connectedNs = System.nanoTime();
        Memory after = Memory.now();
        Report.value("heap", (double) (after.heap - before.heap) / count);
        Report.value("native", (double) (after.nativeBytes - before.nativeBytes) / count);
        Report.value("resident", (double) (after.resident - before.resident) / count);
        Report.value("create_us", (createdNs - startNs) / 1e3 / count);
        Report.value("connect_us", (connectedNs - createdNs) / 1e3 / count);
        writes.run(settings.seconds("warm", 0.5));
        double among = writes.run(settings.seconds("seconds", 2));
        Report.value("kmsgps.alone", alone);
        Report.value("kmsgps.among", among);
        Report.value("active_ratio", among / alone);
        control.send(0);
        if (idle[count - 1].qpNum() == 0) {
            throw new IllegalStateException("they must live until here");
        }
    }

    void server(Control control) throws IOException {
        End end = new End(settings, 4096, 512, 16, false);
        QueuePair[] active = end.queuePairs(1, 256, 1);
        end.connect(active, control);
        end.connect(end.queuePairs(100, depth, depth), control);
        QueuePair[] idle = end.queuePairs(count, depth, depth);
        end.connect(idle, control);
        control.in.readInt();
        if (idle[count - 1].qpNum() == 0) {
            throw new IllegalStateException("they must live until here");
        }
    }
}
