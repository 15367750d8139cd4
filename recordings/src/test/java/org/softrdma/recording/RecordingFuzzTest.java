// SPDX-License-Identifier: Apache-2.0
package org.softrdma.recording;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/**
 * Any bytes as a file: a recording, which can be written again, or a {@link MalformedRecordingException}. How to search is said in
 * {@code WireFuzzTest}.
 */
class RecordingFuzzTest {
    @FuzzTest(maxDuration = "5m")
    void shouldSurviveAnyBytes(byte[] bytes) throws IOException {
        Recording read;
        try {
            read = Recording.read(bytes);
        } catch (MalformedRecordingException expected) {
            return;
        }
        read.writeJson(OutputStream.nullOutputStream());
        read.writePcapng(OutputStream.nullOutputStream());
    }

    @Property(tries = 2000)
    void shouldSurviveDamagedFiles(@ForAll boolean json, @ForAll @IntRange(max = 1_000_000) int at, @ForAll byte value,
            @ForAll @IntRange(max = 1_000_000) int cut) throws IOException {
        byte[] whole = json ? Recordings.json(Recordings.both()) : Recordings.pcapng(Recordings.both());
        whole[at % whole.length] = value;
        shouldSurviveAnyBytes(whole);
        shouldSurviveAnyBytes(Arrays.copyOf(whole, cut % whole.length));
    }
}
