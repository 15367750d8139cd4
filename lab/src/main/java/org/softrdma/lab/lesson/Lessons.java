// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.lesson;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.lab.world.Scene;

/**
 * The lessons: folders of data, each with {@code text.md}, {@code fabric.json}, {@code check.json} and, for {@code lab check}, a
 * {@code Solution.java}. The file {@code index} names them in their order.
 */
public final class Lessons {
    private static final String FOLDER = "/org/softrdma/lab/lessons/";
    private static final Gson GSON = new Gson();

    private final List<Lesson> all;

    private Lessons(List<Lesson> all) {
        this.all = all;
    }

    /** Reads all lessons. */
    public static Lessons load() {
        List<Lesson> lessons = new ArrayList<>();
        for (String id : text("index").strip().split("\\s+")) {
            lessons.add(lesson(id));
        }
        return new Lessons(List.copyOf(lessons));
    }

    private static Lesson lesson(String id) {
        String markdown = text(id + "/text.md");
        if (!markdown.startsWith("# ")) {
            throw new IllegalStateException("lesson " + id + ": text.md begins with a title, \"# …\"");
        }
        try {
            Scene scene = GSON.fromJson(text(id + "/fabric.json"), Scene.class).checked();
            Lesson.Check check = GSON.fromJson(text(id + "/check.json"), Lesson.Check.class);
            String title = markdown.substring(2, markdown.indexOf('\n')).strip();
            return new Lesson(id, title, markdown.substring(markdown.indexOf('\n') + 1), scene, check);
        } catch (JsonParseException | IllegalArgumentException damaged) {
            throw new IllegalStateException("lesson " + id + ": " + damaged.getMessage(), damaged);
        }
    }

    private static String text(String file) {
        try (InputStream in = Lessons.class.getResourceAsStream(FOLDER + file)) {
            if (in == null) {
                throw new IllegalStateException("no " + file + " among the lessons");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    public List<Lesson> all() {
        return all;
    }

    /**
     * Finds a lesson by its name, or its number from 1.
     *
     * @throws IllegalArgumentException if there is none; the message lists those there are
     */
    public Lesson get(String id) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).id().equals(id) || String.valueOf(i + 1).equals(id)) {
                return all.get(i);
            }
        }
        throw new IllegalArgumentException("no lesson " + id + "; there are " + all.stream().map(Lesson::id).toList());
    }

    /**
     * Source of a program that passes the check of a lesson.
     *
     * @throws IllegalArgumentException if the lesson has no check of programs
     */
    public static String solution(Lesson lesson) {
        lesson.requireProgram();
        return text(lesson.id() + "/Solution.java");
    }
}
