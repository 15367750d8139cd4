// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;
import org.softrdma.lab.ladder.Arrow;
import org.softrdma.lab.ladder.IwarpDecoder;
import org.softrdma.lab.ladder.RoceDecoder;
import org.softrdma.lab.ladder.SubnetDecoder;
import org.softrdma.lab.lesson.Goal;
import org.softrdma.lab.lesson.Lesson;
import org.softrdma.lab.world.Command;

/** The calls of the page. Wrong ones throw IllegalArgumentException, refused verbs VerbsException. */
final class LabApi {
    private static final Gson GSON = new Gson();

    private final LabSession session;

    LabApi(LabSession session) {
        this.session = session;
    }

    /** A request to open something; the fields that are null do not matter. */
    private record Open(String lesson, Boolean running, Boolean restart, Long seed, String faults) {
    }

    private record Play(int speed) {
    }

    private record Answer(int choice) {
    }

    Object get(String call) {
        if (call.startsWith("lesson/")) {
            return lesson(session.lessons().get(call.substring("lesson/".length())));
        }
        if (call.startsWith("packet/")) {
            return packet(session.arrow(number(call.substring("packet/".length()))));
        }
        return switch (call) {
            case "lessons" -> session.lessons().all().stream().map(each -> Map.of("id", each.id(), "title", each.title())).toList();
            case "java" -> Map.of("text", java());
            case "command-line" -> Map.of("text", commandLine());
            default -> throw new IllegalArgumentException("there is no " + call);
        };
    }

    Object post(String call, String query, byte[] body) {
        switch (call) {
            case "open" -> open(json(body, Open.class));
            case "command" -> session.simulation().execute(json(body, Command.class));
            case "play" -> session.simulation().play(json(body, Play.class).speed);
            case "pause" -> session.simulation().pause();
            case "step" -> session.simulation().step();
            case "answer" -> {
                boolean right = session.answer(json(body, Answer.class).choice);
                return Map.of("right", right, "why", right ? session.lesson().check().question().why() : "");
            }
            case "recording" -> session.openRecording(query.isEmpty() ? "recording" : query, body);
            default -> throw new IllegalArgumentException("there is no " + call);
        }
        return Map.of();
    }

    private String java() {
        if (session.scene() != null && session.scene().subnet() != null) {
            throw new IllegalArgumentException("there are no Java tests of subnets; copy the command");
        }
        return JavaTest.of(session.scene(), session.simulation().call(world -> List.copyOf(world.commands())));
    }

    private static <T> T json(byte[] body, Class<T> type) {
        T value;
        try {
            value = GSON.fromJson(new String(body, StandardCharsets.UTF_8), type);
        } catch (JsonParseException wrong) {
            throw new IllegalArgumentException("the request is no JSON object with the fields of this call", wrong);
        }
        if (value == null) {
            throw new IllegalArgumentException("the request is empty");
        }
        return value;
    }

    private static int number(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException wrong) {
            throw new IllegalArgumentException(text + " is not a number", wrong);
        }
    }

    private void open(Open what) {
        if (Boolean.TRUE.equals(what.running)) {
            session.showRunning();
        } else if (Boolean.TRUE.equals(what.restart)) {
            session.restart(what.seed, what.faults);
        } else {
            session.openLesson(what.lesson);
        }
    }

    private static Map<String, Object> lesson(Lesson lesson) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("id", lesson.id());
        shown.put("title", lesson.title());
        // The text is our own; raw HTML in it would be shown as text nevertheless.
        shown.put("html", HtmlRenderer.builder().escapeHtml(true).build().render(Parser.builder().build().parse(lesson.markdown())));
        shown.put("goals", lesson.check().goals().stream().map(Goal::text).toList());
        shown.put("question", lesson.check().question().text());
        shown.put("answers", lesson.check().question().answers());
        shown.put("task", lesson.check().task());
        return shown;
    }

    private static Map<String, Object> packet(Arrow arrow) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("hex", HexFormat.of().formatHex(arrow.bytes()));
        shown.put("fields", switch (arrow.format()) {
            case ROCE -> RoceDecoder.fields(arrow.bytes());
            case IWARP -> IwarpDecoder.fields(arrow.bytes());
            case MAD, LRH -> SubnetDecoder.fields(arrow.bytes(), arrow.format());
        });
        shown.put("fate", arrow.fate());
        shown.put("note", arrow.note());
        return shown;
    }

    private String commandLine() {
        Lesson lesson = session.lesson();
        if (lesson == null) {
            throw new IllegalArgumentException("no lesson is shown");
        }
        return "./softrdma lab --lesson " + lesson.id() + " --seed " + session.scene().seed() + " --faults " + session.scene().faults();
    }
}
