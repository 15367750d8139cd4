// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ipoib;

import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.ib.PathRecord;
import org.softrdma.wire.ib.SaAttribute;

/** Queries for the path to another port. */
final class Paths {
    private static final long COMPONENTS = PathRecord.COMPONENTS.bits(PathRecord.DGID_HIGH, PathRecord.SGID_HIGH, PathRecord.REVERSIBLE,
        PathRecord.NUMBER_OF_PATHS, PathRecord.PKEY);

    private final Gid port;
    private final int pkey;
    private final SaRequests requests;

    Paths(Gid port, int pkey, SaRequests requests) {
        this.port = port;
        this.pkey = pkey;
        this.requests = requests;
    }

    private static final class Query implements SaRequests.Handler {
        private final Consumer<PathAnswer> found;

        Query(Consumer<PathAnswer> found) {
            this.found = found;
        }

        @Override
        public void onAnswer(ByteBuffer record, long nowNs) {
            found.accept(record == null ? PathAnswer.NONE : new PathAnswer(record, 0));
        }

        @Override
        public void onRefused(int status, long nowNs) {
            found.accept(new PathAnswer(null, status));
        }

        @Override
        public void onForgotten() {
            found.accept(PathAnswer.NONE);
        }
    }

    /** Finds a path; also if the port goes down meanwhile, the result is reported. */
    void find(Gid to, Consumer<PathAnswer> found, long nowNs) {
        ask(to, new Query(found), nowNs);
    }

    /** Sends the query. */
    void ask(Gid to, SaRequests.Handler handler, long nowNs) {
        ByteBuffer query = ByteBuffer.allocate(PathRecord.LENGTH);
        PathRecord.DGID_HIGH.set(query, 0, to.high());
        PathRecord.DGID_LOW.set(query, 0, to.low());
        PathRecord.SGID_HIGH.set(query, 0, port.high());
        PathRecord.SGID_LOW.set(query, 0, port.low());
        PathRecord.REVERSIBLE.set(query, 0, 1);
        PathRecord.NUMBER_OF_PATHS.set(query, 0, 1);
        PathRecord.PKEY.set(query, 0, pkey);
        requests.add(MadMethod.GET, SaAttribute.PATH_RECORD, COMPONENTS, query, handler, nowNs);
    }
}
