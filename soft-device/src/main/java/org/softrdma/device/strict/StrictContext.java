// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.strict;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.softrdma.device.findings.Finding;
import org.softrdma.device.findings.Findings;
import org.softrdma.device.findings.StrictRule;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.memory.Region;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.VerbsException;

/**
 * A context whose calls are held to the rules of adapters. Its objects are made with variants of the parts of a soft device, which note the
 * calls of the program and report what is wrong with them; other contexts know nothing of all this. Any thread.
 */
public final class StrictContext {
    private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
    private static final List<String> LIBRARY = List.of("org.softrdma.device.", "org.softrdma.verbs.", "org.softrdma.cm.",
        "org.softrdma.testing.RdmaEnd", "java.");
    private static final String PROPERTY = "softrdma.strict";
    private static final String VARIABLE = "SOFTRDMA_STRICT";

    private final String device;
    private final MemoryTable memory;
    /** Queue pairs, for the requests that name a region. */
    private final Set<StrictQueuePair> queuePairs = ConcurrentHashMap.newKeySet();
    /** The program, if it is another process; null for this one. */
    private volatile String program;

    /**
     * Creates the rules of a context.
     *
     * @param device name for findings
     * @param memory keys of the device
     */
    public StrictContext(String device, MemoryTable memory) {
        this.device = device;
        this.memory = memory;
    }

    /**
     * Whether the system property {@code softrdma.strict}, or without it the environment variable {@code SOFTRDMA_STRICT}, is {@code on}.
     *
     * @throws VerbsException EINVAL: it is neither {@code on} nor {@code off}, nor empty
     */
    public static boolean isRequested() {
        String property = System.getProperty(PROPERTY);
        String word = property != null ? property : System.getenv(VARIABLE);
        if (word == null || word.isEmpty() || word.equals("off")) {
            return false;
        }
        if (!word.equals("on")) {
            throw new VerbsException(Errno.EINVAL, "open_device", (property != null ? PROPERTY : VARIABLE) + " is on or off, not '" + word
                + "'");
        }
        return true;
    }

    /** Names the program on whose behalf this process calls, for example {@code rping, process 123}. */
    public void program(String name) {
        program = name;
    }

    /** Whether the program is another process, which this one sees the queues of and not the calls. */
    boolean isOutside() {
        return program != null;
    }

    MemoryTable memory() {
        return memory;
    }

    /** Returns the call of the program that is being executed on this thread. */
    Call call(String verb) {
        String name = program;
        if (name != null) {
            return new Call(verb, name);
        }
        return new Call(verb, STACK.walk(frames -> frames.filter(StrictContext::isProgram).findFirst()
            .map(StrictContext::place).orElse("an unknown place")));
    }

    private static String place(StackWalker.StackFrame frame) {
        return frame.getClassName() + "." + frame.getMethodName() + "(" + frame.getFileName() + ":" + frame.getLineNumber() + ")";
    }

    /** Whether a frame is the program's: neither the library's, nor a provider's own object of the API. */
    private static boolean isProgram(StackWalker.StackFrame frame) {
        Class<?> type = frame.getDeclaringClass();
        return LIBRARY.stream().noneMatch(type.getName()::startsWith) && !Context.class.isAssignableFrom(type)
            && !QueuePair.class.isAssignableFrom(type);
    }

    /** Returns text that names a work request: its queue, wr_id and the call being executed. */
    String name(Supplier<String> queue, long wrId, String verb) {
        return queue.get() + ", wr_id " + Long.toUnsignedString(wrId) + ", " + call(verb);
    }

    /** Checks an element of a work request: the device would find the mistake when it executes the request, without knowing the call. */
    void checkElement(int pd, int element, long address, int length, int lkey, int rights, String request) {
        if (length == 0) {
            return;
        }
        Region region = MemoryTable.isWindow(lkey) ? null : memory.lookup(lkey);
        String what = "element " + element + ", 0x" + Long.toHexString(address) + "+" + Integer.toUnsignedString(length) + ", lkey 0x"
            + Integer.toHexString(lkey) + ", ";
        if (region == null) {
            report(StrictRule.LOCAL_MEMORY, what + "names no registered memory", request);
        } else if (!region.covers(address, Integer.toUnsignedLong(length))) {
            report(StrictRule.LOCAL_MEMORY, what + "is not inside that region, 0x" + Long.toHexString(region.start()) + "+"
                + Long.toUnsignedString(region.length()), request);
        } else if (!region.grants(pd, 0, rights)) {
            report(StrictRule.LOCAL_MEMORY, what + (region.pd() != pd ? "belongs to another protection domain"
                : "was registered without LOCAL_WRITE"), request);
        }
    }

    void report(StrictRule rule, String text, String call) {
        Findings.add(new Finding(rule, device, text, call));
    }

    /** Creates the rules of a region that the program registers. */
    public StrictRegion region(long address, long bytes) {
        return new StrictRegion(this, "0x" + Long.toHexString(address) + "+" + Long.toUnsignedString(bytes));
    }

    /**
     * Creates the rules of a shared receive queue that the program creates.
     *
     * @param completions of an XRC queue, else null
     */
    public StrictReceivePosts sharedReceives(int number, int pd, StrictCompletions completions) {
        return new StrictReceivePosts(this, "post_srq_recv", () -> "srq " + number, pd, completions, false);
    }

    void add(StrictQueuePair qp) {
        queuePairs.add(qp);
    }

    void remove(StrictQueuePair qp) {
        queuePairs.remove(qp);
    }

    /** Returns the newest outstanding request that names a key, as text for a finding; null for none. */
    String outstanding(int lkey) {
        for (StrictQueuePair each : queuePairs) {
            String request = each.outstanding(lkey);
            if (request != null) {
                return request;
            }
        }
        return null;
    }
}
