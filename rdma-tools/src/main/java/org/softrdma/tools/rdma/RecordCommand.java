// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rdma;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.softrdma.recording.FlightRecorder;
import org.softrdma.recording.MalformedRecordingException;
import org.softrdma.recording.Recording;
import org.softrdma.recording.Track;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.ToolFailure;

/**
 * {@code rdma record [ show ] [ link DEV ] [ lqpn NUMBER ] [ file FILE ]}: the last events of queue pairs and connections, which the flight
 * recorders of the user's running processes have kept. A command of this project only; the original has no such object.
 */
final class RecordCommand {
    /** Begins the head of a recording, and no other line. */
    private static final String HEAD = "{\"softrdma_recording\"";

    private final List<Link> links;
    private final Processes processes;
    private final Console console;
    private String device;
    private int qpn = FlightRecorder.ALL;
    private String file;

    RecordCommand(List<Link> links, Processes processes, Console console) {
        this.links = links;
        this.processes = processes;
        this.console = console;
    }

    int run(Words words) {
        while (!words.isEmpty()) {
            switch (words.takeCommand("show", "link", "lqpn", "file", "help")) {
                case null -> {
                    return Rdma.unknown("parameter", words, console);
                }
                case "show" -> {
                    // the only command
                }
                case "link" -> device = LinkCommand.find(links, value(words, "link")).name();
                case "lqpn" -> qpn = number(value(words, "lqpn"));
                case "file" -> file = value(words, "file");
                default -> {
                    return help();
                }
            }
        }
        List<Track> tracks = tracks();
        if (tracks.isEmpty()) {
            console.error("rdma: nothing was recorded: no process of this user has such a device or queue pair open, or its recorder is "
                + "off");
            return 1;
        }
        write(new Recording(Recording.Clock.WALL, tracks));
        return 0;
    }

    private static String value(Words words, String parameter) {
        if (words.isEmpty()) {
            throw new ToolFailure("error: Invalid argument\n" + parameter + " needs a value");
        }
        return words.take();
    }

    private static int number(String text) {
        try {
            return Integer.decode(text);
        } catch (NumberFormatException other) {
            throw new ToolFailure("error: Invalid argument\nlqpn must be a number such as 17 or 0x11, got '" + text + "'");
        }
    }

    private List<Track> tracks() {
        List<Track> tracks = new ArrayList<>();
        for (byte[] answer : processes.recordings(problem -> console.error("rdma: " + problem))) {
            for (String lines : new String(answer, StandardCharsets.UTF_8).split("(?m)^(?=" + Pattern.quote(HEAD) + ")")) {
                if (!lines.isBlank()) {
                    tracks.addAll(read(lines));
                }
            }
        }
        return tracks;
    }

    private List<Track> read(String lines) {
        try {
            return Recording.read(lines.getBytes(StandardCharsets.UTF_8)).tracks().stream().filter(this::isWanted).toList();
        } catch (MalformedRecordingException nonsense) {
            console.error("rdma: a process sent an invalid recording: " + nonsense.getMessage());
            return List.of();
        }
    }

    private boolean isWanted(Track track) {
        return (device == null || track.head().device().equals(device)) && track.head().concerns(qpn);
    }

    private void write(Recording recording) {
        try {
            if (file == null) {
                ByteArrayOutputStream text = new ByteArrayOutputStream();
                recording.writeText(text);
                console.print(text.toString(StandardCharsets.UTF_8));
                return;
            }
            try (OutputStream out = Files.newOutputStream(Path.of(file))) {
                if (file.endsWith(".jsonl") || file.endsWith(".json")) {
                    recording.writeJson(out);
                } else if (file.endsWith(".txt")) {
                    recording.writeText(out);
                } else {
                    recording.writePcapng(out);
                }
            }
            console.println(recording.entries().size() + " events of " + recording.tracks().size() + " ends in " + file);
        } catch (IOException refused) {
            throw new ToolFailure("error: " + refused.getMessage());
        }
    }

    private int help() {
        console.print("""
            Usage: rdma record [ show ] [ link DEV ] [ lqpn NUMBER ] [ file FILE ]
            The last events of queue pairs and connections, of the processes that run now: as text, or into a file, pcapng for Wireshark;
            JSON lines if its name ends with .jsonl, text if with .txt. See docs/recordings.md.
            """);
        return 0;
    }
}
