// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.lab.lesson.Lesson;
import org.softrdma.lab.lesson.Lessons;
import org.softrdma.tools.ToolRun;
import org.softrdma.tools.cli.ToolFailure;

/** Programs of learners are checked as a learner does it: the solution of a lesson passes, a program that does nothing does not. */
class LabCheckTest {
    private static final String NOTHING = """
        class Nothing {
            public static void main(String[] arguments) {
                System.out.println("nothing");
            }
        }
        """;

    @TempDir
    private Path directory;

    private static ToolRun lab(String... words) {
        return ToolRun.of(console -> new LabTool().run("lab", List.of(words), console));
    }

    private ToolRun check(String lesson, String source) throws IOException {
        Path program = Files.writeString(directory.resolve("Solution.java"), source);
        return lab("check", lesson, program.toString());
    }

    @Test
    void shouldSayWhichFileIsMissing() {
        String recording = directory.resolve("none.pcapng").toString();
        ToolRun opening = lab("--no-browser", recording);
        assertEquals(1, opening.exitCode());
        assertTrue(opening.err().startsWith("softrdma lab: there is no recording " + recording + " that can be read\n"), opening.err());

        String program = directory.resolve("None.java").toString();
        ToolRun checking = lab("check", "receiver-not-ready", program);
        assertEquals(1, checking.exitCode());
        assertTrue(checking.err().startsWith("softrdma lab: there is no program " + program + " that can be read\n"), checking.err());
    }

    static Stream<String> lessons() {
        return Lessons.load().all().stream().filter(each -> !each.check().program().isEmpty()).map(Lesson::id);
    }

    private void assertPassed(String lesson) throws IOException {
        ToolRun run = check(lesson, lab("solution", lesson).out());
        assertEquals(0, run.exitCode(), () -> run.out() + run.err());
        assertTrue(run.out().startsWith("Lesson " + lesson + ": "), run.out());
        assertTrue(run.out().contains("\n  yes  ") && run.out().endsWith("Passed.\n"), run.out());
        assertFalse(run.out().contains("\n  NO   "), run.out());
    }

    @ParameterizedTest
    @ValueSource(strings = {"receiver-not-ready", "iwarp-differs"})
    void shouldPassASolution(String lesson) throws IOException {
        assertPassed(lesson);
    }

    @Tag("soak")
    @ParameterizedTest
    @MethodSource("lessons")
    void shouldPassTheSolutionOfEachLesson(String lesson) throws IOException {
        assertPassed(lesson);
    }

    @Test
    void shouldRefuseToCheckProgramsForALessonWithoutSuchACheck() {
        String message = assertThrows(ToolFailure.class, () -> check("pull-a-cable", NOTHING)).getMessage();
        assertTrue(message.contains("lesson pull-a-cable has no check of programs"), message);
        assertThrows(ToolFailure.class, () -> lab("solution", "subnet-comes-up"));
        assertEquals(lab("--list").out().lines().count() - 2, lessons().count(), "all others have one");
    }

    @Test
    void shouldNotPassAProgramThatDoesNothing() throws IOException {
        ToolRun run = check("receiver-not-ready", NOTHING);
        assertEquals(1, run.exitCode());
        assertTrue(run.out().contains("\n  | nothing\n"), run.out());
        assertTrue(run.out().contains("\n  NO   A SEND was answered RNR NAK.\n"), run.out());
        assertTrue(run.out().contains("\n  yes  The program ended with exit code 0.\n"), run.out());
        assertTrue(run.out().contains("\nNo packets were captured: did the program open a device of softrdma?\n"), run.out());
    }
}
