// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DevicePathsTest {
    @ParameterizedTest
    @CsvSource({
        "/dev/infiniband/uverbs0, true",
        "/dev/infiniband, true",
        "/sys/class/infiniband_verbs, true",
        "/sys/class/misc/rdma_cm/abi_version, true",
        "infiniband/uverbs0, true",
        "uverbs0, true",
        "rdma_cm, true",
        "umad0, true",
        "/sys/class/infiniband_mad/umad0, true",
        "/tmp/umad0, false",
        "/home/me/uverbs0, false",
        "/etc/ld.so.cache, false",
        "/dev/infiniban, false",
        "rdma_c, false",
        "x, false"})
    void shouldRecogniseCandidatesByTheirBytes(String path, boolean expected) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(path);
            assertEquals(expected, DevicePaths.mayBeOurs(text, path.length()));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/dev/infiniband/uverbs0, /dev/infiniband/uverbs0",
        "//dev/./infiniband//uverbs0, /dev/infiniband/uverbs0",
        "/sys/../dev/infiniband, /dev/infiniband",
        "/dev/infiniband/../../etc/passwd, /etc/passwd",
        "/../../dev/infiniband, /dev/infiniband",
        "/dev/infiniband/, /dev/infiniband/"})
    void shouldNormalisePaths(String path, String expected) {
        assertEquals(expected, DevicePaths.normal(path));
    }
}
