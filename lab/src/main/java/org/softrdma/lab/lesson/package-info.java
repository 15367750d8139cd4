// SPDX-License-Identifier: Apache-2.0
/**
 * Lessons and their checks.
 *
 * <p>Reading order: {@link org.softrdma.lab.lesson.Lesson}, {@link org.softrdma.lab.lesson.Lessons}, which reads them from their folders;
 * {@link org.softrdma.lab.lesson.GoalChecker} with {@link org.softrdma.lab.lesson.Evidence};
 * {@link org.softrdma.lab.lesson.ProgramCheck}, the check of a learner's own program.
 */
package org.softrdma.lab.lesson;
