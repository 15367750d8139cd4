// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Our tools as a user runs them, but in the guest, whose kernel has features that a host's kernel may lack. The JDK and the project are
 * mounted there under their host paths, so that the launcher finds all files.
 */
final class GuestTools {
    /** Tags of the directories that {@code lab/up} must share with the guest. */
    static final String JDK = "jdk";
    static final String PROJECT = "project";
    static final String JAVA_HOME = System.getProperty("java.home");

    private static final Duration SHORTLY = Duration.ofSeconds(30);
    /** Options for the JVM: an emulated processor is faster without the optimizing compiler. */
    private static final String JAVA_OPTIONS = "-XX:TieredStopAtLevel=1";
    /**
     * Script that mounts the directories. The launcher cannot write beside its jar there and searches the user's directory for the JDK's
     * cache.
     */
    private static final String MOUNT = """
        from_host() {
          mountpoint -q "$2" && return
          mkdir -p "$2"
          mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,cache=loose,ro "$1" "$2"
        }
        from_host %s "$1"
        from_host %s "$2"
        mkdir -p ~/.cache
        ln -sfn "$2/rdma-tools/target" ~/.cache/softrdma
        """.formatted(JDK, PROJECT);

    private GuestTools() {
    }

    /**
     * Mounts the tools in the guest unless they are mounted already.
     *
     * @param file receives the output
     */
    static void mount(Guest guest, Path file) {
        guest.run(file, SHORTLY, "sh", "-ec", MOUNT, "sh", JAVA_HOME, KernelLab.root().toString());
    }

    /**
     * Command line of a tool.
     *
     * @param state directory in the guest where its devices are kept
     */
    static List<String> command(String state, String... words) {
        List<String> command = new ArrayList<>(List.of("env", "JAVA_HOME=" + JAVA_HOME, HostTool.STATE_DIRECTORY + "=" + state,
            "SOFTRDMA_JAVA_OPTS=" + JAVA_OPTIONS, KernelLab.root().resolve("softrdma").toString()));
        command.addAll(List.of(words));
        return command;
    }
}
