// SPDX-License-Identifier: Apache-2.0
package org.softrdma.recording;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A copy of the last events of queue pairs and connections. Immutable. Written and read as JSON lines and as pcapng, see
 * {@code docs/recordings.md}.
 *
 * @param clock  of the events' times
 * @param tracks one for each end
 */
public record Recording(Clock clock, List<Track> tracks) {
    /** Longest file that is read. */
    public static final long MAX_BYTES = 1L << 30;

    /** Copies the list. */
    public Recording {
        tracks = List.copyOf(tracks);
    }

    /** Clocks of the events' times. The names in lower case are those of recordings. */
    public enum Clock {
        /** Ns since 1970. */
        WALL,
        /** Ns of a simulation. */
        VIRTUAL
    }

    /**
     * An event with its track.
     *
     * @param track of the end at which it occurred
     * @param event one of the track's
     */
    public record Entry(Track track, RecordedEvent event) {
    }

    /**
     * Puts recordings together, for example those of two ends.
     *
     * @param parts at least one, all with the same clock
     * @return all their tracks
     */
    public static Recording merge(List<Recording> parts) {
        Clock clock = parts.getFirst().clock;
        if (parts.stream().anyMatch(part -> part.clock != clock)) {
            throw new IllegalArgumentException("recordings on a wall clock and on a virtual one have no common order of time");
        }
        return new Recording(clock, parts.stream().flatMap(part -> part.tracks.stream()).toList());
    }

    /** {@return all events in the order of time; those of one track in the order of their numbers} */
    public List<Entry> entries() {
        List<Entry> all = new ArrayList<>();
        for (Track track : tracks) {
            for (RecordedEvent event : track.events()) {
                all.add(new Entry(track, event));
            }
        }
        all.sort(Comparator.comparingLong(entry -> entry.event.timeNs()));
        return all;
    }

    /**
     * Finds the track of the other end.
     *
     * @param track of this recording
     * @return null if the recording does not have it
     */
    public Track peerOf(Track track) {
        return tracks.stream().filter(other -> other != track && other.isPeerOf(track)).findFirst().orElse(null);
    }

    /** {@return whether there are no events} */
    public boolean isEmpty() {
        return tracks.stream().allMatch(track -> track.events().isEmpty());
    }

    /**
     * Writes JSON lines.
     *
     * @param out is not closed
     * @throws IOException of the stream
     */
    public void writeJson(OutputStream out) throws IOException {
        new JsonWriter(this).write(out);
    }

    /**
     * Writes text for people: one line for each end, and one for each event, in the order of time.
     *
     * @param out is not closed
     * @throws IOException of the stream
     */
    public void writeText(OutputStream out) throws IOException {
        new TextWriter(this).write(out);
    }

    /**
     * Writes pcapng, with comments on the packets.
     *
     * @param out is not closed
     * @throws IOException of the stream
     */
    public void writePcapng(OutputStream out) throws IOException {
        new CaptureWriter(this).write(out);
    }

    /**
     * Reads a recording, or any pcapng file with RoCE packets.
     *
     * @param file of at most {@link #MAX_BYTES}
     * @return its content
     * @throws MalformedRecordingException if it is neither, longer, or damaged
     * @throws IOException if the file cannot be read
     */
    public static Recording read(Path file) throws IOException {
        if (Files.size(file) > MAX_BYTES) {
            throw new MalformedRecordingException(file + " has " + Files.size(file) + " bytes; recordings have " + MAX_BYTES + " at most");
        }
        return read(Files.readAllBytes(file));
    }

    /**
     * Reads a recording, or any pcapng file with RoCE packets.
     *
     * @param bytes the whole file
     * @return its content
     * @throws MalformedRecordingException if it is neither, or damaged
     */
    public static Recording read(byte[] bytes) throws MalformedRecordingException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        if (CaptureReader.isCapture(buffer)) {
            return new CaptureReader(buffer).read();
        }
        if (bytes.length > 0 && bytes[0] == '{') {
            return new JsonReader(bytes).read();
        }
        throw new MalformedRecordingException("this is neither pcapng nor JSON lines"
            + (CaptureReader.isOldCapture(buffer) ? "; convert a pcap file with `editcap -F pcapng`" : ""));
    }
}
