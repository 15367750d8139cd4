// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.lesson;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.softrdma.lab.ladder.Arrow;

/** Checks goals, and remembers those that were met: what was reached once stays reached. */
public final class GoalChecker {
    private final List<Goal> goals;
    private final boolean[] met;

    public GoalChecker(List<Goal> goals) {
        this.goals = List.copyOf(goals);
        met = new boolean[goals.size()];
    }

    /**
     * Checks the goals that were not met yet.
     *
     * @return for each goal whether it is met
     */
    public boolean[] check(Evidence evidence) {
        for (int i = 0; i < met.length; i++) {
            met[i] = met[i] || goals.get(i).all().stream().allMatch(condition -> holds(condition, evidence));
        }
        return met.clone();
    }

    public List<Goal> goals() {
        return goals;
    }

    /**
     * Evaluates a condition.
     *
     * @throws IllegalArgumentException for a kind that does not exist
     */
    static boolean holds(Condition condition, Evidence evidence) {
        return switch (condition.kind()) {
            case "completion" -> condition.allows(evidence.completions().stream()
                .filter(each -> (condition.end() == null || each.end() == condition.end()) && matches(condition.status(), each.status())
                    && matches(condition.opcode(), each.opcode())).count());
            case "state" -> evidence.stateOf(condition.end()).equals(condition.state());
            case "packet" -> condition.allows(evidence.arrows().stream().filter(each -> matches(condition, each)).count());
            case "sequence" -> isSubsequence(condition, evidence.arrows());
            case "counter" -> condition.allows(evidence.counter(condition.device(), condition.name()));
            case "refused", "action", "failure", "event" -> condition.allows(evidence.log().stream()
                .filter(each -> each.kind().equals(condition.kind()) && finds(condition.text(), each.text())).count());
            case "memory" -> Arrays.equals(evidence.memory(condition.end(), condition.bytes()),
                evidence.memory(condition.of(), condition.bytes()));
            case "exit" -> evidence.exitCode() == condition.count();
            case "output" -> finds(condition.text(), evidence.output());
            default -> throw new IllegalArgumentException("unknown kind of condition: " + condition.kind());
        };
    }

    private static boolean matches(Condition condition, Arrow arrow) {
        return (condition.from() == null || arrow.from() == condition.from()) && matches(condition.label(), arrow.summary().label())
            && (condition.fate() == null || arrow.fate().contains(condition.fate()))
            && (condition.repeated() == null || arrow.isRepeated() == condition.repeated());
    }

    private static boolean isSubsequence(Condition condition, List<Arrow> arrows) {
        int next = 0;
        for (Arrow each : arrows) {
            if (next < condition.labels().size() && matches(condition.labels().get(next), each.summary().label())) {
                next++;
            }
        }
        return next == condition.labels().size();
    }

    private static boolean matches(String pattern, String text) {
        return pattern == null || Pattern.matches(pattern, text);
    }

    private static boolean finds(String pattern, String text) {
        return pattern == null || Pattern.compile(pattern, Pattern.DOTALL).matcher(text).find();
    }
}
