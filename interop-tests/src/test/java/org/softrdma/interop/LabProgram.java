// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Programs in C and C++ in the lab's directory, which tests compile with the libraries of the system. */
final class LabProgram {
    static final String COMPILER = CHeadersExtension.COMPILER;
    static final String MPICH = "mpicc.mpich";
    static final String CPP_COMPILER = "g++";
    private static final int SECONDS = 60;

    private LabProgram() {
    }

    /**
     * Compiles {@code lab/NAME.c}, or {@code lab/NAME.cpp} if the compiler is that of C++.
     *
     * @param directory directory of the program, which gets the source's name without its end
     * @param libraries options of the linker
     * @return the program
     */
    static Path compile(String name, Path directory, String compiler, String... libraries) throws IOException {
        Path program = directory.resolve(name);
        Path output = directory.resolve(name + "-compiler.txt");
        List<String> command = new ArrayList<>(List.of(compiler, "-Wall", "-Wextra", "-Werror", "-O1", "-o", program.toString(),
            KernelLab.module().resolve("lab").resolve(name + (compiler.equals(CPP_COMPILER) ? ".cpp" : ".c")).toString()));
        command.addAll(List.of(libraries));
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
            boolean ended = process.waitFor(SECONDS, TimeUnit.SECONDS);
            if (!ended) {
                process.destroyForcibly();
            }
            if (!ended || process.exitValue() != 0) {
                throw new AssertionError(String.join(" ", command) + (ended ? ": " : " did not end: ") + Files.readString(output)
                    + "\ninterop-tests/lab/install installs what these tests need");
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
        return program;
    }
}
