// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.lesson;

import java.util.List;
import org.softrdma.lab.world.Command;
import org.softrdma.lab.world.Scene;

/**
 * A prepared lesson.
 *
 * @param id       name of its folder
 * @param title    of the page
 * @param markdown the page
 * @param scene    the fabric beside it
 * @param check    what the learner is to do and to answer
 */
public record Lesson(String id, String title, String markdown, Scene scene, Check check) {
    /**
     * Makes sure that programs can be checked.
     *
     * @throws IllegalArgumentException they cannot: the lesson is about a subnet, which programs do not run in
     */
    public void requireProgram() {
        if (check.program().isEmpty()) {
            throw new IllegalArgumentException("lesson " + id + " has no check of programs; it is done on the page");
        }
    }

    /**
     * A question with answers of which one is right.
     *
     * @param right index of the right answer
     * @param why   shown after the right answer
     */
    public record Question(String text, List<String> answers, int right, String why) {
    }

    /**
     * The check of a lesson.
     *
     * @param goals    in the laboratory
     * @param program  for {@code lab check}: what the learner's own program must do, checked by the packets that it sent; none in a subnet
     * @param task     one sentence for the author of such a program; empty if there is none
     * @param solution commands that reach the goals: for the tests
     */
    public record Check(List<Goal> goals, Question question, String task, List<Goal> program, List<Command> solution) {
    }
}
