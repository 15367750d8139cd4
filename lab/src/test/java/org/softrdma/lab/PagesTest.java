// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pages of the documentation as a reader sees them, with all their pictures. Pictures of the pages are left in target/screenshots. */
class PagesTest {
    private static final String STYLE = "body{font:16px/1.5 sans-serif;max-width:880px;margin:2em auto}table{border-collapse:collapse}"
        + "td,th{border:1px solid #ccc;padding:4px 10px}pre{background:#f4f4f4;padding:10px;overflow:auto}img{max-width:100%}";
    private static final List<Extension> TABLES = List.of(TablesExtension.create());

    private static Browser browser;

    @TempDir
    private Path directory;

    @BeforeAll
    static void start() throws IOException {
        Browser.require();
        browser = new Browser();
    }

    @AfterAll
    static void stop() throws IOException {
        if (browser != null) {
            browser.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"README.md, 2, page-readme", "docs/testing-java.md, 0, page-guide", "docs/teaching.md, 3, page-teaching",
        "docs/lab.md, 3, page-lab"})
    void shouldShowAPageWithItsPictures(String page, int pictures, String name) throws IOException {
        Path source = Path.of("..").toRealPath().resolve(page);
        String body = HtmlRenderer.builder().extensions(TABLES).build()
            .render(Parser.builder().extensions(TABLES).build().parse(Files.readString(source)));
        Path rendered = Files.writeString(directory.resolve("page.html"), "<!doctype html><meta charset=utf-8><base href='"
            + source.getParent().toUri() + "'><style>" + STYLE + "</style>" + body);
        browser.open(rendered.toUri());
        browser.showWhole();
        browser.screenshot(name);
        assertTrue(browser.js("return document.querySelector('h1').textContent").toString().length() > 3);
        assertEquals((long) pictures, browser.js("return document.images.length"));
        assertEquals(List.of(), browser.js("return [...document.images].filter(image => !image.complete || image.naturalWidth < 100)"
            + ".map(image => image.src)"), "pictures that are not shown");
    }
}
