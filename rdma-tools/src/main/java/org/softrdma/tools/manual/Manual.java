// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.manual;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.GetoptLong;
import org.softrdma.tools.cli.Tool;
import org.softrdma.tools.cli.ToolFailure;

/** {@code softrdma manual}: writes man pages and shell completion. */
public final class Manual implements Tool {
    private static final List<GetoptLong.Long> LONG_OPTIONS = List.of(new GetoptLong.Long("bash", false, 'b'),
        new GetoptLong.Long("man", true, 'm'), new GetoptLong.Long("help", false, 'h'));

    private final Supplier<List<Page>> pages;
    private final String version;

    /** @param pages of all tools */
    public Manual(Supplier<List<Page>> pages, String version) {
        this.pages = pages;
        this.version = version;
    }

    @Override
    public int run(String name, List<String> arguments, Console console) {
        GetoptLong options = new GetoptLong("softrdma " + name, "", LONG_OPTIONS, arguments, console);
        switch (options.next()) {
            case 'b' -> console.print(BashCompletion.script(pages.get()));
            case 'm' -> writePages(Path.of(options.argument()), console);
            case 'h' -> usage(console);
            default -> {
                usage(console);
                return 1;
            }
        }
        return 0;
    }

    private void writePages(Path directory, Console console) {
        try {
            Files.createDirectories(directory);
            for (Page page : pages.get()) {
                ManPage man = new ManPage(page, version);
                Files.writeString(directory.resolve(man.fileName()), man.text());
            }
            console.println("man pages written to " + directory);
        } catch (IOException refused) {
            throw new ToolFailure("softrdma manual: cannot write to " + directory + ": " + refused);
        }
    }

    private static void usage(Console console) {
        console.print("""
            Usage: softrdma manual --bash | --man DIRECTORY
              --bash            shell completion, on stdout
              --man DIRECTORY   writes a man page for each tool

            To install both for this user:
              softrdma manual --bash > ~/.local/share/bash-completion/completions/softrdma
              softrdma manual --man ~/.local/share/man/man1
            bash then completes the tools after softrdma; for those in bin/, source the file in ~/.bashrc.
            """);
    }
}
