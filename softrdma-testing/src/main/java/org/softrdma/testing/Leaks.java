// SPDX-License-Identifier: Apache-2.0
package org.softrdma.testing;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.softrdma.device.verbs.OpenObject;
import org.softrdma.device.verbs.SoftCompletionQueue;
import org.softrdma.device.verbs.UnpolledCompletions;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.MadAgent;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.XrcDomain;

/** Finds and closes what a program has left behind. */
final class Leaks {
    /** Kinds of objects: each kind may depend on later ones only. */
    private static final List<Class<?>> CLOSING_ORDER = List.of(MadAgent.class, QueuePair.class, SharedReceiveQueue.class,
        MemoryWindow.class, MemoryRegion.class, AddressHandle.class, XrcDomain.class, CompletionQueue.class, CompletionChannel.class,
        ProtectionDomain.class, Object.class);
    /** Packages of the library: their frames are not the program's. */
    private static final List<String> LIBRARY = List.of("org.softrdma.device.", "org.softrdma.rxe.", "org.softrdma.siw.",
        "org.softrdma.cm.", "org.softrdma.verbs.", "org.softrdma.link.");

    /** Classes of this package, and of the JUnit extension, that create objects for programs, or run their tasks. */
    private static final Set<String> OWN = Stream.concat(
        Stream.of(TestDevice.class, SoftManager.class, RdmaEnd.class, RdmaPair.class, Fabric.class, Turns.class, SocketFabric.class,
            VirtualFabric.class).map(Class::getName),
        Stream.of("org.softrdma.junit.SoftRdmaExtension", "org.softrdma.junit.FabricSession")).collect(Collectors.toSet());
    /** Packages of the JDK and of test frameworks. */
    private static final List<String> RUNNERS = List.of("java.", "jdk.", "org.junit.", "org.testng.", "org.apache.maven.");

    private Leaks() {
    }

    /**
     * Finds objects and contexts that are open, and completions that were never polled. Flushed completions are no leak: a program that
     * destroys its queue pair need not look at them.
     *
     * @param exempt objects that the program has not made
     */
    static List<Leak> find(List<TestDevice> devices, Set<Object> exempt) {
        List<Leak> leaks = new ArrayList<>();
        for (TestDevice device : devices) {
            for (UnpolledCompletions each : device.unpolled()) {
                addUnpolled(leaks, device, each.queue(), each.completions());
            }
            for (TestDevice.Opened opened : device.open(true)) {
                List<OpenObject> objects = opened.context().openObjects().stream().filter(each -> !exempt.contains(each.object()))
                    .sorted(Comparator.comparingInt(each -> rank(each.object()))).toList();
                for (OpenObject each : objects) {
                    leaks.add(new Leak(device + ": not closed: " + text(each.object()), program(each.created())));
                }
                opened.context().openObjects().forEach(each -> addHeld(leaks, device, each));
                if (!exempt.contains(opened.context())) {
                    leaks.add(new Leak(device + ": not closed: " + opened.context(), program(opened.where())));
                }
            }
        }
        return leaks;
    }

    private static void addHeld(List<Leak> leaks, TestDevice device, OpenObject object) {
        if (object.object() instanceof SoftCompletionQueue queue) {
            addUnpolled(leaks, device, object, queue.takeUnpolled());
        }
    }

    private static void addUnpolled(List<Leak> leaks, TestDevice device, OpenObject queue, List<WorkCompletion> completions) {
        List<WorkCompletion> unread = completions.stream().filter(each -> each.status() != WcStatus.WR_FLUSH_ERR).toList();
        if (!unread.isEmpty()) {
            leaks.add(new Leak(device + ": never polled from " + text(queue.object()) + ": " + unread, program(queue.created())));
        }
    }

    private static String text(Object object) {
        return object instanceof MemoryRegion region ? "registered memory, " + region.length() + " bytes, " + region : object.toString();
    }

    /** The program's frames, without those of what calls tests: reflection, the test framework. */
    static List<StackTraceElement> program(List<StackTraceElement> stack) {
        return stack.stream().dropWhile(Leaks::isLibrary).filter(frame -> !OWN.contains(frame.getClassName())
            && RUNNERS.stream().noneMatch(frame.getClassName()::startsWith)).toList();
    }

    private static boolean isLibrary(StackTraceElement frame) {
        String type = frame.getClassName();
        return LIBRARY.stream().anyMatch(type::startsWith) || OWN.contains(type);
    }

    static void closeInOrder(List<Object> objects) {
        objects.stream().sorted(Comparator.comparingInt(Leaks::rank)).forEach(Leaks::closeQuietly);
    }

    private static int rank(Object object) {
        int rank = 0;
        while (!CLOSING_ORDER.get(rank).isInstance(object)) {
            rank++;
        }
        return rank;
    }

    /** Closes an object; a refusal does not matter any more. */
    static void closeQuietly(Object object) {
        try {
            ((AutoCloseable) object).close();
        } catch (VerbsException refused) {
            System.getLogger(Leaks.class.getName()).log(System.Logger.Level.DEBUG, refused.getMessage());
        } catch (Exception impossible) {
            throw new IllegalStateException("objects of a device throw no checked exceptions", impossible);
        }
    }
}
