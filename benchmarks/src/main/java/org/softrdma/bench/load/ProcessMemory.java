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

/**
 * Current memory of this process in bytes: on the heap after a collection, native by the JVM's own count (NativeMemoryTracking must
 * be on) without the heap, and resident.
 */
record ProcessMemory(long heap, long nativeBytes, long resident) {
    private static final Pattern TOTAL = Pattern.compile("Total: reserved=\\d+, committed=(\\d+)");
    private static final Pattern HEAP = Pattern.compile("Java Heap \\(reserved=\\d+, committed=(\\d+)\\)");

    static ProcessMemory now() {
        System.gc();
        System.gc();
        long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        String summary = nativeSummary();
        return new ProcessMemory(heap, number(TOTAL, summary) - number(HEAP, summary), residentBytes());
    }

    /** Reports what each of {@code count} things made since {@code before} costs. */
    void reportSince(ProcessMemory before, int count) {
        Report.value("heap", (double) (heap - before.heap) / count);
        Report.value("native", (double) (nativeBytes - before.nativeBytes) / count);
        Report.value("resident", (double) (resident - before.resident) / count);
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
