// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.openqa.selenium.Keys;
import org.softrdma.lab.ladder.RoceDecoder;
import org.softrdma.lab.lesson.Lesson;
import org.softrdma.lab.lesson.Lessons;
import org.softrdma.lab.world.Command;
import org.softrdma.lab.world.SimulatedWorld;
import org.softrdma.lab.world.Simulation;
import org.softrdma.lab.world.WorldThread;
import org.softrdma.wire.pcap.PcapngReader;
import org.softrdma.wire.roce.RoceFrame;

/** The laboratory in a real browser: every lesson from its beginning to its end, the ladder, the plots, recordings, the keyboard. */
@Timeout(300)
class LabBrowserTest {
    private static final String ROWS =
        "return softrdmaLab.packets.all.map(each => each.label + ' ' + each.psn + ' ' + each.from + ' ' + each.to)";

    private static Lab lab;
    private static Browser page;

    @TempDir
    Path directory;

    @BeforeAll
    static void open() throws IOException {
        Browser.require();
        lab = Lab.start();
        page = new Browser(lab.address());
    }

    @AfterEach
    void shouldWriteNothingToTheConsole() {
        page.assertQuiet();
    }

    @AfterAll
    static void close() throws IOException {
        if (lab != null) {
            page.close();
            lab.close();
        }
    }

    // ---- lessons ----

    static Stream<String> lessons() {
        return Lessons.load().all().stream().map(Lesson::id);
    }

    private static Lesson begin(String id) {
        Lesson lesson = Lessons.load().get(id);
        lab.session().openLesson(id);
        page.await("document.querySelector('#lesson-text h1')?.textContent === '" + lesson.title() + "'");
        page.click("tab-ladder");
        return lesson;
    }

    private static void playToTheEnd() {
        page.choose("speed", "0");
        page.click("play");
    }

    /** Lets the fabric play for a while of its own time, and waits until the page knows that it has paused. */
    private static void playFor(long virtualNs) {
        WorldThread simulation = lab.session().simulation();
        long untilNs = nowNs(simulation) + virtualNs;
        simulation.play(1000);
        await(() -> !simulation.isPlaying() || nowNs(simulation) >= untilNs);
        simulation.pause();
        page.await("softrdmaLab.news().now === " + nowNs(simulation) + " && !softrdmaLab.news().playing");
    }

    private static long nowNs(WorldThread simulation) {
        return simulation.call(Simulation::nowNs);
    }

    @ParameterizedTest
    @MethodSource("lessons")
    void shouldBePlayedToItsEnd(String id) throws IOException {
        Lesson lesson = begin(id);
        for (Command command : lesson.check().solution()) {
            if (command.action().equals("play")) {
                playFor(2_000_000);
            } else {
                int before = lab.session().simulation().call(world -> world.commands().size());
                page.execute(command);
                awaitCommands(before + 1);
            }
        }
        playToTheEnd();
        page.await("document.querySelectorAll('#goals .met').length === " + lesson.check().goals().size());
        assertFalse(page.element("passed").isDisplayed(), "the question is not answered yet");
        int wrong = lesson.check().question().right() == 0 ? 1 : 0;
        page.all("#answers button").get(wrong).click();
        page.await("document.getElementById('verdict').textContent.startsWith('No')");
        page.all("#answers button").get(lesson.check().question().right()).click();
        page.await("!document.getElementById('passed').hidden");
        page.js("document.getElementById('ladder-scroll').scrollTop = 0; document.getElementById('passed').scrollIntoView()");
        page.screenshot("lesson-" + id);
    }

    private static void awaitCommands(int count) {
        await(() -> lab.session().simulation().call(world -> world.commands().size()) >= count);
    }

    private static void await(BooleanSupplier condition) {
        long beginNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - beginNs < TimeUnit.SECONDS.toNanos(60), "not within 60 seconds");
            LockSupport.parkNanos(1_000_000);
        }
    }

    // ---- subnets ----

    @Test
    void shouldDrawASubnetAndPullTheCableThatIsClicked() throws IOException {
        begin("pull-a-cable");
        page.await("document.querySelectorAll('#fabric .node').length === 8");
        page.await("document.querySelectorAll('#fabric .wire.active').length === 8");
        page.await("document.querySelectorAll('#fabric .route').length === 4");
        assertEquals("route from Ann to Dora: Ann → Leaf A → Spine 1 → Leaf B → Dora", page.text("route"));
        assertEquals(10L, page.js("return document.getElementById('tables').rows.length"));
        page.execute(Lessons.load().get("pull-a-cable").check().solution().getFirst());
        playToTheEnd();
        page.await("document.querySelectorAll('#goals .met').length === 1");
        page.js("document.querySelectorAll('#fabric .cable')[2].dispatchEvent(new MouseEvent('click', {bubbles: true}))");
        page.await("document.querySelectorAll('#fabric .wire.pulled').length === 1");
        page.await("document.getElementById('route').textContent.includes('no further: port 3 of Leaf A has no link')");
        page.screenshot("subnet-pulled");
        playFor(2_000_000);
        page.await("document.getElementById('route').textContent.includes('Leaf A → Spine 2 → Leaf B → Dora')");
        page.screenshot("subnet-healed");
        page.js("softrdmaLab.ladder.choose(softrdmaLab.packets.all.find(each => each.label === 'Trap(Notice 128)'))");
        page.await("document.getElementById('packet-fields').textContent.includes('trap number')");
    }

    // ---- ladder and recordings ----

    private void lossyRun() {
        begin("loss-and-go-back-n");
        page.execute(Lessons.load().get("loss-and-go-back-n").check().solution().getFirst());
        playToTheEnd();
        page.await("document.querySelectorAll('#goals .met').length === 5");
    }

    /** Rows of a recording, read without the laboratory's code for ladders. */
    private static List<String> rowsOf(Path file) throws IOException {
        PcapngReader reader = new PcapngReader(ByteBuffer.wrap(Files.readAllBytes(file)));
        RoceFrame frame = new RoceFrame();
        List<String> rows = new ArrayList<>();
        while (reader.next()) {
            assertEquals(RoceFrame.OK, frame.dissect(reader.buffer(), reader.linkType(), reader.offset(), reader.length()));
            byte[] bytes = new byte[frame.packetLength()];
            reader.buffer().get(frame.bthAt(), bytes);
            int lastOfSource = reader.buffer().get(frame.ipAt() + 15);
            rows.add(RoceDecoder.summary(bytes).label() + " " + RoceDecoder.summary(bytes).psn() + " " + (lastOfSource - 1) + " "
                + (2 - lastOfSource));
        }
        return rows;
    }

    @Test
    void shouldShowTheSamePacketsAsTheRecording() throws IOException {
        lossyRun();
        Path file = directory.resolve("lossy.pcapng");
        boolean written = lab.session().simulation().call(world -> {
            try {
                return ((SimulatedWorld) world).fabric().record(file);
            } catch (IOException refused) {
                throw new UncheckedIOException(refused);
            }
        });
        assertTrue(written);
        List<String> recorded = rowsOf(file);
        assertTrue(recorded.size() > 25, recorded.toString());
        assertEquals(recorded, page.js(ROWS));
        page.js("document.getElementById('ladder-scroll').scrollTop = 150");
        page.keys("ladder-scroll", Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_DOWN);
        page.await("!document.getElementById('packet-shown').hidden");
        page.screenshot("ladder");
        // The same file, dropped onto the page.
        drop(file, "lossy.pcapng");
        page.await("document.getElementById('run-state').textContent === 'recording'");
        page.await("softrdmaLab.packets.all.length === " + recorded.size());
        assertEquals(recorded, page.js(ROWS));
        page.screenshot("recording");
    }

    private static void drop(Path file, String name) throws IOException {
        page.js("""
            const bytes = Uint8Array.from(atob(arguments[0]), each => each.charCodeAt(0));
            const files = new DataTransfer();
            files.items.add(new File([bytes], arguments[1]));
            document.dispatchEvent(new DragEvent('dragover', {bubbles: true, cancelable: true, dataTransfer: files}));
            document.dispatchEvent(new DragEvent('drop', {bubbles: true, cancelable: true, dataTransfer: files}));
            """, Base64.getEncoder().encodeToString(Files.readAllBytes(file)), name);
    }

    @Test
    void shouldSayWhatIsWrongWithAFile() throws IOException {
        begin("dead-peer");
        Path file = Files.write(directory.resolve("broken.pcapng"), new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
        drop(file, "broken.pcapng");
        page.await("document.getElementById('message').open");
        String message = page.text("message");
        assertTrue(message.contains("broken.pcapng: pcapng: "), message);
        page.js("document.getElementById('message').close()");
        assertEquals("paused", page.text("run-state"));
        // The answer 400 is shown by the browser as well.
        page.forgetLogs();
    }

    @Test
    void shouldShowPlots() throws IOException {
        begin("congestion-marks");
        for (Command command : Lessons.load().get("congestion-marks").check().solution()) {
            int before = lab.session().simulation().call(world -> world.commands().size());
            page.execute(command);
            awaitCommands(before + 1);
        }
        playToTheEnd();
        page.await("document.querySelectorAll('#goals .met').length === 4");
        page.click("tab-plots");
        page.await("document.querySelectorAll('#plots-view .uplot').length === 4");
        page.screenshot("plots");
        page.click("tab-log");
        page.screenshot("log");
        page.click("tab-ladder");
    }

    @Test
    void shouldScrollThroughAHundredThousandPackets() throws IOException {
        Path file = LongRecording.write(directory.resolve("long.pcapng"), 100_000);
        lab.session().openRecording("long.pcapng", Files.readAllBytes(file));
        page.await("softrdmaLab.packets.all.length === 100000");
        Object frames = page.jsAsync("""
            const done = arguments[0];
            const scroll = document.getElementById('ladder-scroll');
            const begun = performance.now();
            const drawn = softrdmaLab.ladder.frames;
            let last = begun;
            let longest = 0;
            function next(now) {
              longest = Math.max(longest, now - last);
              last = now;
              scroll.scrollTop = (now - begun) * 40 % (scroll.scrollHeight - 900);
              if (now - begun < 3000) {
                requestAnimationFrame(next);
              } else {
                const rate = Math.round((softrdmaLab.ladder.frames - drawn) / (now - begun) * 1000);
                done(rate + ' frames/s, longest ' + Math.round(longest) + ' ms');
              }
            }
            requestAnimationFrame(next);
            """);
        System.out.println("ladder of 100,000 packets, scrolling: " + frames);
        Files.writeString(Files.createDirectories(Path.of("target", "screenshots")).resolve("frames.txt"), frames + "\n");
        page.js("document.getElementById('ladder-scroll').scrollTop = 1000000");
        page.screenshot("hundred-thousand");
        page.type("filter", "nak");
        page.await("softrdmaLab.packets.shown.length === 1000");
        page.js("const filter = document.getElementById('filter'); filter.value = ''; filter.dispatchEvent(new Event('input'))");
        assertEquals(100_000L, page.js("softrdmaLab.packets.place(); return softrdmaLab.packets.shown.length"));
    }

    // ---- the rest of the page ----

    @Test
    void shouldBeUsableByTheKeyboard() throws IOException {
        begin("queue-pair-states");
        page.keys("tab-ladder", Keys.ARROW_RIGHT);
        assertEquals("true", page.element("tab-plots").getDomAttribute("aria-selected"));
        page.keys("tab-plots", Keys.ARROW_RIGHT, Keys.ARROW_RIGHT);
        assertEquals("true", page.element("tab-ladder").getDomAttribute("aria-selected"));
        for (String state : List.of("INIT", "RTR", "RTS")) {
            for (String end : List.of("0", "1")) {
                page.execute(new Command("modify", Integer.valueOf(end), null, null, null, null, null, state, null, null, null, null));
            }
        }
        page.execute(new Command("write", 0, null, null, 3000, 1, "right", null, null, false, null, null));
        page.js("document.activeElement.blur()");
        page.keys("ladder-scroll", " ");
        page.await("softrdmaLab.packets.all.length >= 4");
        page.await("document.getElementById('run-state').textContent === 'nothing left to happen'");
        page.keys("ladder-scroll", Keys.ARROW_DOWN, Keys.ARROW_DOWN);
        page.await("document.getElementById('packet-title').textContent.includes('RDMA WRITE')");
        assertTrue(page.text("packet-fields").contains("destination QP"), page.text("packet-fields"));
        assertEquals("", page.js("""
            return [...document.querySelectorAll('button, select, input:not([hidden])')].filter(each => each.offsetParent !== null
              && !each.textContent.trim() && !each.labels?.length && !each.getAttribute('aria-label') && !each.title)
              .map(each => each.id).join()
            """), "every control has a name");
    }

    @Test
    void shouldBeReadableInTheDark() throws IOException {
        lossyRun();
        page.click("theme");
        assertEquals("dark", page.js("return document.documentElement.dataset.theme"));
        page.screenshot("dark");
        page.click("tab-plots");
        page.screenshot("dark-plots");
        page.click("tab-ladder");
        page.click("theme");
    }

    @Test
    void shouldReportRefusedVerbsBesideTheForm() {
        begin("queue-pair-states");
        page.execute(new Command("write", 0, null, null, 10, 1, "right", null, null, false, null, null));
        page.await("document.getElementById('do-error').textContent.includes('post_send')");
    }

    @Test
    void shouldShowRunningDevicesAndGroupMany() throws IOException {
        page.click("show-running");
        page.await("document.getElementById('run-state').textContent === 'running devices'");
        page.screenshot("running");
        // 10,000 queue pairs, as a report would have them.
        page.js("softrdmaLab.fabric.show(arguments[0], '', true)", ManyQueuePairs.grouped(10_000));
        assertTrue(page.all("#fabric .chip").size() < 20, page.all("#fabric .chip").size() + " queue pairs are drawn");
        assertTrue(page.text("fabric").contains("QPs"), page.text("fabric"));
        page.screenshot("many-queue-pairs");
    }
}
