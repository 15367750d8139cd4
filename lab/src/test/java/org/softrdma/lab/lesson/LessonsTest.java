// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.lesson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.softrdma.lab.world.Command;
import org.softrdma.lab.world.Simulation;
import org.softrdma.verbs.VerbsException;

/** Every lesson can be passed, by its own solution, and is not passed from the beginning. */
class LessonsTest {
    private static final Duration BRIEFLY = Duration.ofMillis(50);
    private static final Duration TO_THE_END = Duration.ofSeconds(3);

    static Stream<String> ids() {
        return Lessons.load().all().stream().map(Lesson::id);
    }

    private static List<String> missing(Lesson lesson, boolean[] met) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < met.length; i++) {
            if (!met[i]) {
                texts.add(lesson.check().goals().get(i).text());
            }
        }
        return texts;
    }

    private static void play(Simulation world, Command command, GoalChecker goals) {
        if (command.action().equals("play")) {
            world.settle(BRIEFLY);
        } else {
            try {
                world.execute(command);
            } catch (VerbsException refused) {
                assertTrue(world.log().getLast().text().equals(refused.getMessage()), refused.getMessage());
            }
        }
        goals.check(Evidence.of(world));
    }

    @ParameterizedTest
    @MethodSource("ids")
    void shouldBePassedByItsSolution(String id) {
        Lesson lesson = Lessons.load().get(id);
        GoalChecker goals = new GoalChecker(lesson.check().goals());
        try (Simulation world = Simulation.of(lesson.scene())) {
            List<String> atFirst = missing(lesson, goals.check(Evidence.of(world)));
            assertEquals(lesson.check().goals().stream().map(Goal::text).toList(), atFirst, "met before anything was done");
            for (Command command : lesson.check().solution()) {
                play(world, command, goals);
            }
            world.settle(TO_THE_END);
            assertEquals(List.of(), missing(lesson, goals.check(Evidence.of(world))), () -> String.join("\n",
                world.log().stream().map(line -> line.timeNs() + " " + line.text()).limit(100).toList()));
        }
    }

    @ParameterizedTest
    @MethodSource("ids")
    void shouldHaveATextAQuestionAndAProgram(String id) {
        Lesson lesson = Lessons.load().get(id);
        assertTrue(lesson.markdown().length() > 600, "a text");
        assertTrue(lesson.check().question().answers().size() >= 3);
        int right = lesson.check().question().right();
        assertTrue(right >= 0 && right < lesson.check().question().answers().size());
        assertFalse(lesson.check().question().why().isBlank());
        if (lesson.scene().subnet() == null) {
            assertFalse(lesson.check().program().isEmpty());
            assertTrue(Lessons.solution(lesson).contains("class Solution"));
        } else {
            assertThrows(IllegalArgumentException.class, () -> Lessons.solution(lesson));
        }
    }

    @Test
    void shouldFindLessonsByNumberAndName() {
        Lessons lessons = Lessons.load();
        assertEquals(lessons.all().getFirst(), lessons.get("1"));
        assertEquals("dead-peer", lessons.get("dead-peer").id());
        String message = assertThrows(IllegalArgumentException.class, () -> lessons.get("nothing")).getMessage();
        assertTrue(message.contains("dead-peer"), message);
    }
}
