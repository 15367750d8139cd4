// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.world;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.softrdma.lab.ladder.Arrow;
import org.softrdma.verbs.VerbsException;

/**
 * The thread of a {@link Simulation}: executes the calls of the page, and between them lets the simulation play, as many events a
 * second as wanted. Nothing happens at a pause, and when nothing can happen any more it pauses by itself.
 */
public final class WorldThread implements World {
    /** Speed at which as many events are played as the machine manages. */
    public static final int AS_FAST_AS_POSSIBLE = 0;

    private static final long TICK_NS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long IDLE_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long SLICE_NS = TimeUnit.MILLISECONDS.toNanos(15);
    private static final int ENOUGH_FOR_ONE_TICK = 5000;

    private final BlockingQueue<Runnable> calls = new LinkedBlockingQueue<>();
    private final Runnable onChange;
    private final Thread thread;
    private Simulation world;
    private boolean playing;
    private int speed = 20;
    private double due;
    private boolean over;
    private volatile boolean closed;

    /**
     * Starts with a scene, at a pause.
     *
     * @param onChange called by the thread when there may be news
     * @throws IllegalArgumentException if the scene makes no sense
     */
    public WorldThread(Scene scene, Runnable onChange) {
        this.onChange = onChange;
        CompletableFuture<Void> begun = new CompletableFuture<>();
        thread = Thread.ofPlatform().daemon().name("softrdma-lab-world").start(() -> run(scene, begun));
        unwrap(begun);
    }

    private void run(Scene scene, CompletableFuture<Void> begun) {
        try {
            world = Simulation.of(scene);
            begun.complete(null);
        } catch (RuntimeException refused) {
            begun.completeExceptionally(refused);
            return;
        }
        long nextNs = System.nanoTime();
        while (!closed) {
            try {
                Runnable call = calls.poll(playing ? Math.max(0, nextNs - System.nanoTime()) : IDLE_NS, TimeUnit.NANOSECONDS);
                if (call != null) {
                    call.run();
                }
                // Calls, many as they may be, do not stop the simulation.
                if (playing && System.nanoTime() - nextNs >= 0) {
                    playOn();
                    onChange.run();
                    nextNs = System.nanoTime() + TICK_NS;
                }
            } catch (InterruptedException ended) {
                closed = true;
            }
        }
        // Callers that came before the end wait for answers.
        for (Runnable call = calls.poll(); call != null; call = calls.poll()) {
            call.run();
        }
        world.close();
    }

    private void playOn() {
        long untilNs = System.nanoTime() + SLICE_NS;
        due = speed == AS_FAST_AS_POSSIBLE ? ENOUGH_FOR_ONE_TICK : Math.min(due + speed * TICK_NS / 1e9, ENOUGH_FOR_ONE_TICK);
        while (due >= 1 && playing && System.nanoTime() - untilNs < 0) {
            due--;
            playing = world.step();
            over = !playing;
        }
    }

    /** Says that a simulation was closed before a call reached it. */
    public static final class ClosedException extends IllegalStateException {
        private static final long serialVersionUID = 1;

        ClosedException() {
            super("the simulation was closed");
        }
    }

    /**
     * Runs something on the thread that changes nothing, and waits for it.
     *
     * @throws ClosedException if the simulation was closed
     */
    public <T> T call(Function<Simulation, T> what) {
        CompletableFuture<T> result = new CompletableFuture<>();
        calls.add(() -> {
            try {
                result.complete(what.apply(world));
            } catch (RuntimeException refused) {
                result.completeExceptionally(refused);
            }
        });
        if (closed) {
            throw new ClosedException();
        }
        return unwrap(result);
    }

    /** Runs something on the thread, and waits for it; there is news afterwards, even if it was refused. */
    private void change(Consumer<Simulation> what) {
        try {
            call(simulated -> {
                what.accept(simulated);
                return null;
            });
        } finally {
            onChange.run();
        }
    }

    private static <T> T unwrap(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException failed) {
            switch (failed.getCause()) {
                case VerbsException refused -> throw refused;
                case RuntimeException refused -> throw refused;
                default -> throw failed;
            }
        }
    }

    /**
     * Plays on.
     *
     * @param eventsPerSecond 1 or more, or {@link #AS_FAST_AS_POSSIBLE}
     */
    public void play(int eventsPerSecond) {
        if (eventsPerSecond < 0) {
            throw new IllegalArgumentException(eventsPerSecond + " events a second");
        }
        change(simulated -> {
            speed = eventsPerSecond;
            playing = true;
            over = false;
        });
    }

    public boolean isPlaying() {
        return call(simulated -> playing);
    }

    public void pause() {
        change(simulated -> playing = false);
    }

    /** Plays one event. */
    public void step() {
        change(simulated -> {
            playing = false;
            over = !simulated.step();
        });
    }

    /** Does something in the world; a paused one stays paused. */
    public void execute(Command command) {
        change(simulated -> {
            over = false;
            simulated.execute(command);
        });
    }

    @Override
    public Arrow arrow(int id) {
        return call(simulated -> {
            if (id < 0 || id >= simulated.ladder().arrows().size()) {
                throw new IllegalArgumentException("there is no packet " + id);
            }
            return simulated.ladder().arrows().get(id);
        });
    }

    @Override
    public Map<String, Object> news(Cursor seen) {
        return call(simulated -> describe(seen));
    }

    private Map<String, Object> describe(Cursor seen) {
        Map<String, Object> news = new LinkedHashMap<>();
        news.put("kind", "simulated");
        news.put("now", world.nowNs());
        news.put("playing", playing);
        news.put("over", over);
        news.put("speed", speed);
        news.put("seed", world.scene().seed());
        news.put("faults", world.faults());
        news.put("lanes", world.lanes());
        news.put("log", List.copyOf(world.log().subList(seen.log, world.log().size())));
        seen.log = world.log().size();
        world.describe(seen, news);
        LadderNews.add(world.ladder(), seen, news);
        return news;
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
