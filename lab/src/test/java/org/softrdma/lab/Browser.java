// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.Select;
import org.openqa.selenium.support.ui.WebDriverWait;
import org.softrdma.lab.world.Command;

/** A real browser, without a window, at the page of a laboratory, or another one. */
final class Browser implements AutoCloseable {
    private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
    private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
    private static final Path SCREENSHOTS = Path.of("target", "screenshots");
    private static final Dimension WINDOW = new Dimension(1600, 1000);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ChromeDriver driver;
    private final Path profile;

    /** Opens the page of a laboratory. */
    Browser(URI page) throws IOException {
        this();
        open(page);
        await("document.getElementById('lesson-choice').options.length > 0 && window.softrdmaLab !== undefined");
    }

    /** Starts a browser without a page. */
    Browser() throws IOException {
        profile = Files.createTempDirectory("softrdma-lab-browser-");
        ChromeOptions options = new ChromeOptions();
        options.setBinary(CHROMIUM.toString());
        // Chromium runs as root in CI; the other switches keep it from looking for the network.
        options.addArguments("--no-sandbox", "--headless=new", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--force-device-scale-factor=1",
            "--user-data-dir=" + profile);
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        options.setCapability("goog:loggingPrefs", logs);
        driver = new ChromeDriver(new ChromeDriverService.Builder().usingDriverExecutable(DRIVER.toFile()).build(), options);
        driver.manage().window().setSize(WINDOW);
    }

    /** Opens a page, and waits until it is loaded with its pictures. */
    void open(URI page) {
        driver.get(page.toString());
    }

    /** Makes the window as high as the page, up to 4000 pixels. */
    void showWhole() {
        long height = ((Number) js("return document.documentElement.scrollHeight")).longValue();
        driver.manage().window().setSize(new Dimension(1000, (int) Math.min(4000, height + 200)));
    }

    /** Skips the test, with the reason, where there is no browser; fails where one is required. */
    static void require() {
        boolean there = Files.isExecutable(CHROMIUM) && Files.isExecutable(DRIVER);
        String missing = "needs " + CHROMIUM + " and " + DRIVER + "; interop-tests/lab/install installs them";
        if (Boolean.parseBoolean(System.getenv("SOFTRDMA_REQUIRE_LAB"))) {
            assertTrue(there, missing);
        }
        Assumptions.assumeTrue(there, missing);
    }

    // ---- the page ----

    Object js(String code, Object... arguments) {
        return driver.executeScript(code, arguments);
    }

    Object jsAsync(String code, Object... arguments) {
        driver.manage().timeouts().scriptTimeout(PATIENCE);
        return driver.executeAsyncScript(code, arguments);
    }

    /** Waits until an expression is true. */
    void await(String expression) {
        new WebDriverWait(driver, PATIENCE).withMessage(() -> expression + "; the page says: " + text("run-state") + ", "
            + text("do-error")).until(ready -> Boolean.TRUE.equals(driver.executeScript("return Boolean(" + expression + ")")));
    }

    WebElement element(String id) {
        return driver.findElement(By.id(id));
    }

    String text(String id) {
        return element(id).getText();
    }

    void click(String id) {
        element(id).click();
    }

    void choose(String id, String value) {
        new Select(element(id)).selectByValue(value);
    }

    void type(String id, Object value) {
        element(id).sendKeys(Keys.chord(Keys.CONTROL, "a"), String.valueOf(value));
    }

    void keys(String id, CharSequence... keys) {
        element(id).sendKeys(keys);
    }

    List<WebElement> all(String selector) {
        return driver.findElements(By.cssSelector(selector));
    }

    /** Fills in the form as a learner does, and waits for the answer. */
    void execute(Command command) {
        if (command.action().equals("kill")) {
            choose("kill-host", String.valueOf(command.device()));
            click("kill");
            return;
        }
        if (element("subnet-controls").isDisplayed()) {
            executeInSubnet(command);
            return;
        }
        choose("do-end", String.valueOf(command.end()));
        choose("do-action", command.action());
        set("do-bytes", command.bytes());
        set("do-count", command.count());
        for (String[] field : new String[][] {{"do-key", command.key()}, {"do-state", command.state()}, {"do-rights", command.text()}}) {
            if (field[1] != null && element(field[0]).isDisplayed()) {
                choose(field[0], field[1]);
            }
        }
        if (element("do-fence").isDisplayed() && element("do-fence").isSelected() != Boolean.TRUE.equals(command.fence())) {
            click("do-fence");
        }
        click("do");
    }

    private void executeInSubnet(Command command) {
        if (command.device() != null) {
            choose("subnet-host", String.valueOf(command.device()));
        }
        if (command.cable() != null) {
            choose("cable", String.valueOf(command.cable()));
        }
        if (command.to() != null) {
            choose("transfer-to", String.valueOf(command.to()));
        }
        if (command.count() != null) {
            type(command.action().equals("manage") ? "priority" : "transfer-count", command.count());
        }
        click(command.action().replace('_', '-'));
    }

    private void set(String id, Integer value) {
        if (value != null && element(id).isDisplayed()) {
            type(id, value);
        }
    }

    // ---- what is kept ----

    /** Keeps a picture of the page in target/screenshots. */
    void screenshot(String name) throws IOException {
        // Two frames, so that everything is drawn.
        jsAsync("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 60)))");
        Files.createDirectories(SCREENSHOTS);
        Files.write(SCREENSHOTS.resolve(name + ".png"), driver.getScreenshotAs(OutputType.BYTES));
    }

    /** Fails if there are warnings or errors in the console since the last call, beyond the browser's own line for a refused verb. */
    void assertQuiet() {
        List<String> lines = driver.manage().logs().get(LogType.BROWSER).getAll().stream()
            .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue()).map(LogEntry::toString)
            .filter(line -> !line.contains("the server responded with a status of 409 ")).toList();
        assertEquals(List.of(), lines);
    }

    /** Forgets what the console has: the browser writes down every answer 400. */
    void forgetLogs() {
        driver.manage().logs().get(LogType.BROWSER);
    }

    @Override
    public void close() throws IOException {
        driver.quit();
        try (Stream<Path> files = Files.walk(profile)) {
            files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
        }
    }
}
