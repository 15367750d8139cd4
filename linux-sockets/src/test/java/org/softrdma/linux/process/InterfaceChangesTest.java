// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs itself in a network namespace of its own, whose interfaces it changes. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class InterfaceChangesTest {
    private static final List<String> CHANGES = List.of("link add v0 type veth peer name v1", "addr add 10.99.0.1/24 dev v0",
        "addr add fd99::1/64 dev v0 nodad", "link set v0 up", "link set v0 mtu 1400", "addr del 10.99.0.1/24 dev v0", "link del v0");

    @Test
    void shouldNoticeEachChange() throws Exception {
        OwnNamespace.assertPrintsNothing(InterfaceChangesTest.class);
    }

    /** Prints each change that is not noticed. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        try (InterfaceChanges changes = new InterfaceChanges(); EpollSet ready = new EpollSet()) {
            ready.add(changes.fd(), EpollSet.READABLE, 0);
            for (String change : CHANGES) {
                // The last change may lead to later ones, such as a carrier.
                changes.drain();
                String refused = OwnNamespace.run(("ip " + change).split(" "));
                if (!refused.isEmpty() || ready.await(TimeUnit.SECONDS.toNanos(10)) == 0) {
                    System.out.println(change + ": not noticed " + refused);
                }
            }
            changes.drain();
            if (ready.await(0) != 0) {
                System.out.println("notices stay after they were drained");
            }
        }
    }
}
