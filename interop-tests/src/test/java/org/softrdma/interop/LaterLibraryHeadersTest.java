// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.interop.CHeaders.Row;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.WrOpcode;

/** As {@link LibraryHeadersTest}, with the headers of Debian 13's rdma-core 56: a program must run with both. */
@ExtendWith(LaterHeadersExtension.class)
class LaterLibraryHeadersTest {
    /**
     * Structures with more fields at the end than in rdma-core 44. The exported {@code ibv_query_port} does not write
     * {@code active_speed_ex}: it has the size of the structure in the first release. {@code struct ibv_qp_ex} is the library's own, and
     * has {@code wr_flush} at its end.
     */
    private static final Map<String, Long> GROWN = Map.of("sizeof(struct ibv_port_attr)", 56L, "sizeof(struct ibv_qp_ex)", 360L);

    @TempDir
    private Path directory;

    @Test
    void shouldHaveTheSizesAndFieldsOfTheHeaders() throws Exception {
        List<Row> rows = LibraryHeadersTest.rows();
        assertTrue(rows.stream().map(Row::expression).toList().containsAll(GROWN.keySet()));
        compare(rows.stream().map(row -> new Row(row.what(), GROWN.getOrDefault(row.expression(), row.value()), row.expression()))
            .toList());
    }

    /** Constants that rdma-core 44 does not have, which also shows that the headers are the later ones. */
    @Test
    void shouldHaveTheConstantsThatWereAdded() throws Exception {
        compare(List.of(
            new Row("FLUSH", WrOpcode.FLUSH.value(), "IBV_WR_FLUSH"),
            new Row("ATOMIC_WRITE", WrOpcode.ATOMIC_WRITE.value(), "IBV_WR_ATOMIC_WRITE"),
            new Row("FLUSH_GLOBAL", AccessFlags.FLUSH_GLOBAL, "IBV_ACCESS_FLUSH_GLOBAL"),
            new Row("FLUSH_PERSISTENT", AccessFlags.FLUSH_PERSISTENT, "IBV_ACCESS_FLUSH_PERSISTENT")));
    }

    private void compare(List<Row> rows) throws Exception {
        CHeaders.compare(directory, KernelLab.headers(KernelLab.Suite.TRIXIE), LibraryHeadersTest.HEADERS, rows);
    }
}
