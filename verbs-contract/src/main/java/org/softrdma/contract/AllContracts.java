// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.Context;

/**
 * The contract of the API: all topics, run for one kind of device. A provider's test class extends this one, opens devices and states what
 * they lack; the topics are inherited.
 */
public abstract class AllContracts {
    /** The contract, by topic: the superclasses of the nested classes below. */
    static final List<Class<?>> TOPICS = topicsIn(AllContracts.class).map(Class::getSuperclass).collect(Collectors.toList());

    private static Stream<Class<?>> topicsIn(Class<?> type) {
        return Arrays.stream(type.getDeclaredClasses()).filter(ContractTest.class::isAssignableFrom);
    }

    /** Opens devices for one test. */
    protected abstract ContractFabric openFabric();

    /** Capabilities that the devices lack, no more and no less: tests that need one of them are reported as unsupported. */
    protected abstract Set<Capability> unsupported();

    @Test
    void shouldLackExactlyWhatItSays() {
        try (ContractFabric fabric = openFabric(); Context context = fabric.open(0)) {
            assertEquals(unsupported(), Capability.missing(context));
        }
    }

    @Test
    void shouldRunEveryTopicOnce() {
        assertEquals(List.of(), topicsIn(getClass()).toList(), "the topics are inherited; one declared here would run twice");
    }

    @Nested
    class Devices extends DevicesContract {
    }

    @Nested
    class Objects extends ObjectsContract {
    }

    @Nested
    class ClosedObjects extends ClosedObjectsContract {
    }

    @Nested
    class ParentDomains extends ParentDomainsContract {
    }

    @Nested
    class Memory extends MemoryContract {
    }

    @Nested
    class Windows extends WindowsContract {
    }

    @Nested
    class QueuePairStates extends QueuePairStatesContract {
    }

    @Nested
    class Posting extends PostingContract {
    }

    @Nested
    class ReliableConnection extends ReliableConnectionContract {
    }

    @Nested
    class Violations extends ViolationsContract {
    }

    @Nested
    class UnreliableConnection extends UnreliableConnectionContract {
    }

    @Nested
    class Datagrams extends DatagramsContract {
    }

    @Nested
    class SharedReceiveQueues extends SharedReceiveQueuesContract {
    }

    @Nested
    class Xrc extends XrcContract {
    }

    @Nested
    class Completions extends CompletionsContract {
    }

    @Nested
    class Shortcuts extends ShortcutsContract {
    }

    @Nested
    class ExtendedApi extends ExtendedApiContract {
    }
}
