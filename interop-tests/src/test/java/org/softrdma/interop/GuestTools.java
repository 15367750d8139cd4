// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Our tools as a user types them, but in the guest, whose kernel has what a host's may lack. The JDK and the project are mounted there
 * under the names they have here, so that the launcher finds everything.
 */
final class GuestTools {
    /** What {@code lab/up} is to let the guest read, by these names. */
    static final String JDK = "jdk";
    static final String PROJECT = "project";
    static final String JAVA_HOME = System.getProperty("java.home");

    private static final Duration SHORTLY = Duration.ofSeconds(30);
    /** An emulated processor is better off without the optimizing compiler. */
    private static final String JAVA_OPTIONS = "-XX:TieredStopAtLevel=1";
    /** The launcher, which cannot write beside its jar, looks for the JDK's cache in the user's directory. */
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

    /** Makes them ready in the guest, if they are not. @param file keeps what is printed */
    static void mount(Guest guest, Path file) {
        guest.run(file, SHORTLY, "sh", "-ec", MOUNT, "sh", JAVA_HOME, KernelLab.root().toString());
    }

    /** The command line of a tool. @param state directory in the guest where its devices are kept */
    static List<String> command(String state, String... words) {
        List<String> command = new ArrayList<>(List.of("env", "JAVA_HOME=" + JAVA_HOME, HostTool.STATE_DIRECTORY + "=" + state,
            "SOFTRDMA_JAVA_OPTS=" + JAVA_OPTIONS, KernelLab.root().resolve("softrdma").toString()));
        command.addAll(List.of(words));
        return command;
    }
}
