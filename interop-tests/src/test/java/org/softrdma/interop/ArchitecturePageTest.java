// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks that the classes and packages named in docs/architecture.md exist. */
class ArchitecturePageTest {
    private static final Path ROOT = KernelLab.root();
    private static final Pattern TYPE = Pattern.compile("`([A-Z][A-Za-z]+)(?:\\.[a-z]\\w*)?(?:\\(\\))?`");
    private static final Pattern PACKAGE = Pattern.compile("`([a-z]+(?:\\.[a-z]+[0-9]?)*)`");
    /** Names in the form of a type that are not types of this project. */
    private static final Set<String> OTHERS = Set.of("ServiceLoader", "Agent");

    private static String page() throws IOException {
        return Files.readString(ROOT.resolve("docs/architecture.md"));
    }

    private static Set<Path> sources(String... kinds) throws IOException {
        Set<Path> files = new HashSet<>();
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path module : modules.toList()) {
                for (String kind : kinds) {
                    Path java = module.resolve("src/" + kind + "/java");
                    if (Files.isDirectory(java)) {
                        try (Stream<Path> all = Files.walk(java)) {
                            all.filter(each -> each.toString().endsWith(".java")).map(java::relativize).forEach(files::add);
                        }
                    }
                }
            }
        }
        return files;
    }

    @Test
    void shouldNameTypesThatExist() throws IOException {
        Set<String> types = new HashSet<>();
        sources("main", "test").forEach(file -> types.add(file.getFileName().toString().replace(".java", "")));
        Set<String> unknown = new TreeSet<>();
        Matcher named = TYPE.matcher(page());
        int count = 0;
        while (named.find()) {
            count++;
            String name = named.group(1);
            if (!types.contains(name) && !OTHERS.contains(name) && !name.equals(name.toUpperCase(Locale.ROOT))) {
                unknown.add(name);
            }
        }
        assertEquals(Set.of(), unknown);
        assertTrue(count > 100, "the page names only " + count + " types; check the pattern");
    }

    @Test
    void shouldListEveryPackageOfTheLibrary() throws IOException {
        Set<String> listed = new TreeSet<>();
        String page = page();
        Matcher named = PACKAGE.matcher(page.substring(page.indexOf("| package |"), page.indexOf("**Pure packages**")));
        while (named.find()) {
            listed.add(named.group(1));
        }
        Set<String> there = new TreeSet<>();
        for (Path file : sources("main")) {
            String name = String.valueOf(file.getParent()).replace('/', '.');
            if (name.matches("org\\.softrdma\\.(verbs|wire|abi|recording|linux|host|daemon|device|cm|link|rxe|siw|fabric|libibverbs|"
                + "rsocket|rpcrdma|storage|simulator|testing|junit|lab)\\b.*")
                && !file.endsWith("package-info.java") && !file.endsWith("module-info.java")) {
                there.add(name.substring("org.softrdma.".length()));
            }
        }
        // Packages of one class each, shared by the other packages of their module.
        there.removeAll(Set.of("device", "wire", "abi"));
        assertEquals(there, listed);
    }
}
