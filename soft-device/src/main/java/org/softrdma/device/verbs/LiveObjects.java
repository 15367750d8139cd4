// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.softrdma.host.inspect.Resource;
import org.softrdma.verbs.WorkCompletion;

/** The open objects of a context. Any thread. */
final class LiveObjects {
    /** An object that introspection reports. */
    interface Shown {
        /**
         * Describes the current state of the object.
         *
         * @return may describe an object that is being destroyed by another thread
         */
        Resource resource();
    }

    private static final List<StackTraceElement> UNKNOWN = List.of();

    /** Objects with the stack of their creation. */
    private final Map<Object, List<StackTraceElement>> all = new ConcurrentHashMap<>();
    private final Queue<UnpolledCompletions> unpolled = new ConcurrentLinkedQueue<>();
    private volatile boolean traced;

    /** Keeps the stack of the creation of each object that is added from now on. Costs some microseconds an object. */
    void trace() {
        traced = true;
    }

    boolean isTraced() {
        return traced;
    }

    /** Adds an object, in the call that creates it. */
    void add(Object object) {
        all.put(object, traced ? List.of(new Throwable().getStackTrace()) : UNKNOWN);
    }

    void remove(Object object) {
        all.remove(object);
    }

    /** Removes a completion queue that is closed with completions in it. */
    void removeUnpolled(Object queue, List<WorkCompletion> completions) {
        unpolled.add(new UnpolledCompletions(new OpenObject(queue, all.getOrDefault(queue, UNKNOWN)), completions));
        remove(queue);
    }

    List<UnpolledCompletions> unpolled() {
        return List.copyOf(unpolled);
    }

    /** Returns the present objects, in no order. */
    List<OpenObject> open() {
        List<OpenObject> open = new ArrayList<>();
        all.forEach((object, created) -> open.add(new OpenObject(object, created)));
        return open;
    }

    /** Describes the objects, in no order. */
    List<Resource> resources() {
        List<Resource> resources = new ArrayList<>();
        for (Object each : all.keySet()) {
            if (each instanceof Shown shown) {
                resources.add(shown.resource());
            }
        }
        return resources;
    }
}
