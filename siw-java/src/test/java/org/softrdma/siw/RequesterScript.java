// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import org.junit.jupiter.api.BeforeEach;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.SendRequest;

/** A connected queue pair with 800 bytes of memory, and its scripted peer. */
abstract class RequesterScript {
    RawPeer peer;
    MemoryRegion region;

    @BeforeEach
    final void connect() {
        begin(new SiwPair.Setup());
    }

    final void begin(SiwPair.Setup setup) {
        peer = new RawPeer(setup);
        region = peer.side.memory("hello, world, hello, world, hello, world".repeat(20).getBytes());
    }

    final void post(SendRequest request) {
        peer.side.qp.postSend(request);
    }

    final SendRequest hello(SendRequest request) {
        return request.element(region, 0, 5).signaled();
    }
}
