// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.lesson;

import java.util.List;
import org.softrdma.lab.ladder.Arrow;
import org.softrdma.lab.world.Completion;
import org.softrdma.lab.world.Happening;
import org.softrdma.lab.world.SimulatedWorld;
import org.softrdma.lab.world.Simulation;
import org.softrdma.lab.world.SubnetWorld;

/** Facts that goals are checked against: those of a world, or of the run of a learner's program. */
public interface Evidence {
    /** Returns the packets so far. */
    List<Arrow> arrows();

    default List<Completion> completions() {
        return List.of();
    }

    default List<Happening> log() {
        return List.of();
    }

    default String stateOf(int end) {
        return "";
    }

    default long counter(int device, String name) {
        return 0;
    }

    default byte[] memory(int end, int bytes) {
        return new byte[0];
    }

    /** Exit code of a program; -1 if there is none. */
    default int exitCode() {
        return -1;
    }

    default String output() {
        return "";
    }

    /** Evidence of a world; to be used by its thread. */
    static Evidence of(Simulation simulation) {
        return switch (simulation) {
            case SimulatedWorld world -> of(world);
            case SubnetWorld world -> of(world);
        };
    }

    private static Evidence of(SubnetWorld world) {
        return new Evidence() {
            @Override
            public List<Arrow> arrows() {
                return world.ladder().arrows();
            }

            @Override
            public List<Happening> log() {
                return world.log();
            }

            @Override
            public long counter(int device, String name) {
                return world.fact(device, name);
            }
        };
    }

    private static Evidence of(SimulatedWorld world) {
        return new Evidence() {
            @Override
            public List<Arrow> arrows() {
                return world.ladder().arrows();
            }

            @Override
            public List<Completion> completions() {
                return world.completions();
            }

            @Override
            public List<Happening> log() {
                return world.log();
            }

            @Override
            public String stateOf(int end) {
                return world.stateOf(end);
            }

            @Override
            public long counter(int device, String name) {
                return world.fabric().counters().moved(device).getOrDefault(name, 0L);
            }

            @Override
            public byte[] memory(int end, int bytes) {
                return world.memory(end, 0, bytes);
            }
        };
    }
}
