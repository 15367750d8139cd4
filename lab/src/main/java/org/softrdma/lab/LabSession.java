// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.softrdma.lab.ladder.Arrow;
import org.softrdma.lab.lesson.Evidence;
import org.softrdma.lab.lesson.GoalChecker;
import org.softrdma.lab.lesson.Lesson;
import org.softrdma.lab.lesson.Lessons;
import org.softrdma.lab.world.Cursor;
import org.softrdma.lab.world.RecordedWorld;
import org.softrdma.lab.world.RunningDevices;
import org.softrdma.lab.world.Scene;
import org.softrdma.lab.world.World;
import org.softrdma.lab.world.WorldThread;

/** State of one laboratory, the same for all its pages: the world that is shown and, of a lesson, its check. Any thread. */
public final class LabSession implements AutoCloseable {
    private final Lessons lessons = Lessons.load();
    private World world;
    private Lesson lesson;
    private Scene scene;
    private GoalChecker goals;
    private Boolean answered;
    /** Counts the worlds: a page that has seen another one begins anew. */
    private int generation;
    private long version;
    private boolean closed;

    /** How far one page has read. */
    static final class PageCursor {
        private int generation = -1;
        private long version = -1;
        private Cursor cursor = new Cursor();
    }

    public Lessons lessons() {
        return lessons;
    }

    // ---- what is shown ----

    /** Shows a lesson from its beginning. */
    public synchronized void openLesson(String id) {
        Lesson found = lessons.get(id);
        show(found, found.scene());
    }

    /** Shows a scene, with the lesson that it is a variant of; null for none. */
    public synchronized void show(Lesson of, Scene newScene) {
        WorldThread simulation = new WorldThread(newScene, this::changed);
        replace(simulation);
        lesson = of;
        scene = newScene;
        goals = new GoalChecker(of == null ? List.of() : of.check().goals());
        answered = null;
    }

    /** Begins the simulation anew, with another seed or other faults; null leaves them as they are. */
    public synchronized void restart(Long seed, String faults) {
        if (scene == null) {
            throw new IllegalArgumentException("there is no simulation to restart");
        }
        Scene changed = seed == null ? scene : scene.withSeed(seed);
        show(lesson, faults == null ? changed : changed.withFaults(faults).checked());
    }

    public synchronized void showRunning() {
        replace(new RunningDevices(this::changed));
        forgetLesson();
    }

    /**
     * Shows a recording.
     *
     * @throws IllegalArgumentException if it cannot be read; what was shown before stays
     */
    public void openRecording(String name, byte[] file) {
        RecordedWorld recording = new RecordedWorld(name, file);
        synchronized (this) {
            replace(recording);
            forgetLesson();
        }
        changed();
    }

    private void forgetLesson() {
        lesson = null;
        scene = null;
        goals = new GoalChecker(List.of());
    }

    private void replace(World next) {
        if (world != null) {
            world.close();
        }
        world = next;
        generation++;
        version++;
        notifyAll();
    }

    /**
     * Returns the simulation.
     *
     * @throws IllegalArgumentException if something else is shown
     */
    public synchronized WorldThread simulation() {
        if (world instanceof WorldThread simulation) {
            return simulation;
        }
        throw new IllegalArgumentException("no simulation is shown; open a lesson first");
    }

    public synchronized Arrow arrow(int id) {
        return world().arrow(id);
    }

    private World world() {
        if (world == null) {
            throw new IllegalArgumentException("nothing is shown yet");
        }
        return world;
    }

    synchronized Lesson lesson() {
        return lesson;
    }

    synchronized Scene scene() {
        return scene;
    }

    // ---- checks ----

    /** Answers the question of the lesson; returns whether that is right. */
    public synchronized boolean answer(int choice) {
        if (lesson == null) {
            throw new IllegalArgumentException("no lesson is shown");
        }
        answered = choice == lesson.check().question().right();
        version++;
        notifyAll();
        return answered;
    }

    private Map<String, Object> progress(WorldThread simulation, GoalChecker checker) {
        boolean[] met = simulation.call(simulated -> checker.check(Evidence.of(simulated)));
        List<Boolean> goalsMet = new ArrayList<>();
        boolean all = true;
        for (boolean each : met) {
            goalsMet.add(each);
            all &= each;
        }
        Map<String, Object> progress = new LinkedHashMap<>();
        progress.put("goals", goalsMet);
        progress.put("answered", answered == null ? "" : answered ? "right" : "wrong");
        progress.put("passed", lesson != null && all && Boolean.TRUE.equals(answered));
        return progress;
    }

    // ---- pages ----

    private synchronized void changed() {
        version++;
        notifyAll();
    }

    /**
     * Waits for something new.
     *
     * @return null if there is nothing new within the limit
     */
    Map<String, Object> news(PageCursor page, long limitMs) throws InterruptedException {
        World shown;
        GoalChecker checker;
        Map<String, Object> news = new LinkedHashMap<>();
        synchronized (this) {
            long untilMs = System.currentTimeMillis() + limitMs;
            while (!closed && page.version == version) {
                long leftMs = untilMs - System.currentTimeMillis();
                if (leftMs <= 0) {
                    return null;
                }
                wait(leftMs);
            }
            if (closed) {
                return null;
            }
            page.version = version;
            if (page.generation != generation) {
                page.generation = generation;
                page.cursor = new Cursor();
            }
            shown = world;
            checker = goals;
            news.put("generation", generation);
            news.put("lesson", lesson == null ? "" : lesson.id());
        }
        if (shown == null) {
            news.put("kind", "nothing");
            return news;
        }
        try {
            news.putAll(shown.news(page.cursor));
            if (shown instanceof WorldThread simulation) {
                news.put("progress", progress(simulation, checker));
            }
        } catch (WorldThread.ClosedException replaced) {
            // The world that came instead is news.
            return null;
        }
        if (Boolean.TRUE.equals(news.get("more"))) {
            page.version = -1;
        }
        return news;
    }

    synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (world != null) {
            world.close();
        }
        notifyAll();
    }
}
