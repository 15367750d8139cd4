// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.export;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Names in directories, for clients that list them page by page. Names are in the order of a hash, which is their cookie as well: a listing
 * goes on where it was, whatever was created or removed in the meantime, and also after a restart. A directory that does not change is read
 * once and not for each page. Any thread.
 */
public final class Listings {
    /** Cookies below are not used for names. */
    public static final long FIRST_COOKIE = 3;

    /** Directories kept at most; those that were not listed for longest go first. */
    private static final int CAPACITY = 32;
    /** Names of a directory that is kept at most: a longer one is read for each page. */
    private static final int MAX_NAMES = 100_000;

    private final Map<FileHandle, Snapshot> snapshots = new LinkedHashMap<>(CAPACITY, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<FileHandle, Snapshot> eldest) {
            return size() > CAPACITY;
        }
    };

    /** A name and its cookie. */
    public record Entry(long cookie, String name) {
    }

    /** @param changed the directory's time of change, which must still be the same */
    private record Snapshot(FileTime changed, List<Entry> entries) {
    }

    Listings() {
    }

    /**
     * Names of a directory, without "." and "..".
     *
     * @param after cookie of the last name that the client has; 0 for all
     */
    public List<Entry> after(Located directory, long after) throws IOException {
        List<Entry> all = all(directory);
        int low = 0;
        int high = all.size();
        while (low < high) {
            int middle = low + high >>> 1;
            if (all.get(middle).cookie <= after) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return all.subList(low, all.size());
    }

    private List<Entry> all(Located directory) throws IOException {
        FileTime changed = directory.attributes().changed();
        synchronized (this) {
            Snapshot kept = snapshots.get(directory.handle());
            if (kept != null && kept.changed.equals(changed)) {
                return kept.entries;
            }
        }
        List<Entry> entries = read(directory.path());
        if (entries.size() <= MAX_NAMES) {
            synchronized (this) {
                snapshots.put(directory.handle(), new Snapshot(changed, entries));
            }
        }
        return entries;
    }

    /** Forgets a directory that was changed: two changes at once may leave it the same time of change. */
    synchronized void forget(FileHandle directory) {
        snapshots.remove(directory);
    }

    private static List<Entry> read(Path path) throws IOException {
        List<Entry> entries = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(path)) {
            for (Path each : stream) {
                String name = each.getFileName().toString();
                entries.add(new Entry(cookie(name), name));
            }
        } catch (DirectoryIteratorException unreadable) {
            throw unreadable.getCause();
        }
        entries.sort(Comparator.comparingLong(Entry::cookie).thenComparing(Entry::name));
        return List.copyOf(entries);
    }

    /** 63 bits of FNV-1a, mixed once more: two names of one directory have the same cookie once in 10^9 directories of 10^5 names. */
    private static long cookie(String name) {
        long hash = 0xcbf29ce484222325L;
        for (byte each : name.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ each & 0xff) * 0x100000001b3L;
        }
        hash = (hash ^ hash >>> 32) * 0x9e3779b97f4a7c15L;
        return Math.max(FIRST_COOKIE, hash >>> 1);
    }
}
