// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.Context;

/**
 * The contract of the API, as one provider runs it: the provider's test class extends this one, says what its devices lack, and has one
 * empty {@code @Nested} class for each topic.
 */
public abstract class VerbsContractTest {
    /** The contract, by topic. */
    public static final List<Class<? extends ContractTest>> TOPICS = List.of(DevicesContract.class, ObjectsContract.class,
        ParentDomainsContract.class, MemoryContract.class, WindowsContract.class, QueuePairStatesContract.class, PostingContract.class,
        ReliableConnectionContract.class, ViolationsContract.class, UnreliableConnectionContract.class, DatagramsContract.class,
        SharedReceiveQueuesContract.class, XrcContract.class, CompletionsContract.class, ExtendedApiContract.class);

    /** Devices for one test. */
    protected abstract ContractFabric openFabric();

    /** What the devices lack, and nothing else: tests that need it are reported as unsupported. */
    protected abstract Set<Capability> unsupported();

    @Test
    void shouldLackExactlyWhatItSays() {
        try (ContractFabric fabric = openFabric(); Context context = fabric.open(0)) {
            assertEquals(unsupported(), Capability.missing(context));
        }
    }

    @Test
    void shouldRunEveryTopic() {
        Set<Class<?>> run = Arrays.stream(getClass().getDeclaredClasses()).filter(ContractTest.class::isAssignableFrom)
            .map(Class::getSuperclass).collect(Collectors.toSet());
        assertEquals(Set.copyOf(TOPICS), run);
    }
}
