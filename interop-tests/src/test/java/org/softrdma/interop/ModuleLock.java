// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Keeps the other JVM of this module's tests, which run in two at a time, from something that both use, until it is closed. */
final class ModuleLock implements AutoCloseable {
    private final FileChannel channel;

    /** Waits until the other JVM does not hold the lock of this name. A JVM that ends releases its locks. */
    ModuleLock(String name) throws IOException {
        Path directory = Files.createDirectories(KernelLab.module().resolve("target"));
        channel = FileChannel.open(directory.resolve(name + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        channel.lock();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
