// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.world;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.softrdma.lab.ladder.Ladder;

/** A simulated world that a learner works with. All calls come from the thread that created it; {@link WorldThread} sees to that. */
public sealed interface Simulation extends AutoCloseable permits SimulatedWorld, SubnetWorld {
    /**
     * Makes the world of a scene.
     *
     * @throws IllegalArgumentException if the scene makes no sense, or needs a module that is not there
     */
    static Simulation of(Scene scene) {
        return scene.subnet() == null ? new SimulatedWorld(scene) : new SubnetWorld(scene);
    }

    /** Virtual time. */
    long nowNs();

    /**
     * Does something, and logs it with its outcome.
     *
     * @throws org.softrdma.verbs.VerbsException if a verb was refused; it is logged too
     * @throws IllegalArgumentException if the command makes no sense
     */
    void execute(Command command);

    /**
     * Goes on to the next thing that happens.
     *
     * @return false if nothing ever will, unless the learner does something
     */
    boolean step();

    /** Lets time pass until nothing is left to happen, or the limit is over. */
    default void settle(Duration limit) {
        long untilNs = nowNs() + limit.toNanos();
        while (nowNs() < untilNs && step()) {
            assert nowNs() >= 0;
        }
    }

    Scene scene();

    /** The present faults of the network, as text. */
    String faults();

    Ladder ladder();

    List<Happening> log();

    /** The commands so far, also refused ones. */
    List<Command> commands();

    /** Names of the lanes of the ladder. */
    List<String> lanes();

    /** Adds what the page draws of this kind of world. */
    void describe(Cursor seen, Map<String, Object> news);

    @Override
    void close();
}
