// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The suite of rdma-core's own Python binding on an rxe device of ours, with the libraries of the system: more than a thousand calls of the
 * verbs and the connection manager, with their errors. What it skips, and why, is in docs/interop.md.
 */
class PyverbsTest {
    @RegisterExtension
    static final RequirementExtension REQUIREMENTS = new NamespaceExtension("ip", "setpriv", "python3") {
        @Override
        String missing() {
            return super.missing() != null || Files.isReadable(suite().resolve("run_tests.py")) ? super.missing()
                : "pyverbs' suite is not installed; interop-tests/lab/install installs what these tests need";
        }
    };

    private static final String SUITE = "usr/share/doc/rdma-core/tests";
    /** Where lab/install unpacks the suite on machines whose packages come without documents. */
    private static final Path UNPACKED = Path.of(System.getenv().getOrDefault("SOFTRDMA_LAB_DIR", "/var/tmp/softrdma-lab"), "pyverbs");
    /** Index of the IPv4 address: the interface has no link-local one, which would be 0. */
    private static final String GID = "1";
    private static final Duration DEADLINE = Duration.ofSeconds(180);
    /** Tests that pass with librxe of rdma-core 44, among them all whose operations that library has. */
    private static final int PASSED = 105;

    private static Path suite() {
        Path installed = Path.of("/", SUITE);
        return Files.isReadable(installed.resolve("run_tests.py")) ? installed : UNPACKED.resolve(SUITE);
    }

    @Test
    void shouldPassWhatTheLibraryHas() throws IOException {
        try (VethPair wire = new VethPair("pyverbs", 1500)) {
            wire.addDevice(wire.a, wire.a.netdev(), "");
            Path tests = copyTo(wire.directory().resolve("tests"));
            try (RunningCommand run = wire.a.start("pyverbs", "run", "--private", "--", "/usr/bin/python3",
                    tests.resolve("run_tests.py").toString(), "-v", "--dev", "rxe0", "--gid", GID)) {
                run.awaitExit(DEADLINE);
                PyverbsResult.of(run.output()).expect(PASSED);
            }
        }
    }

    /** Copies the suite and unpacks what the package has compressed. */
    private static Path copyTo(Path directory) throws IOException {
        Files.createDirectories(directory);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(suite(), Files::isRegularFile)) {
            for (Path each : files) {
                String name = each.getFileName().toString();
                boolean packed = name.endsWith(".gz");
                try (InputStream in = packed ? new GZIPInputStream(Files.newInputStream(each)) : Files.newInputStream(each)) {
                    Files.copy(in, directory.resolve(packed ? name.substring(0, name.length() - ".gz".length()) : name));
                }
            }
        }
        return directory;
    }
}
