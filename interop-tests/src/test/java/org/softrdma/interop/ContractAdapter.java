// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.softrdma.contract.Capability;

/** Devices behind the system's libibverbs on which the contract runs: what they lack, and where they differ from it. */
enum ContractAdapter {
    /** Ours, with Debian 12's librxe. */
    SOFTRDMA(EnumSet.of(Capability.FLUSH, Capability.XRC, Capability.PARENT_DOMAINS, Capability.TIMESTAMPS, Capability.REREGISTRATION,
        Capability.RESIZE_SHARED_RECEIVE_QUEUES)),
    /** Linux 6.1 with Debian 12's librxe. */
    RXE_6_1(EnumSet.of(Capability.ATOMIC_WRITE, Capability.FLUSH, Capability.XRC, Capability.PARENT_DOMAINS, Capability.TIMESTAMPS,
        Capability.REREGISTRATION)),
    /** Linux 6.12 with Debian 13's librxe. */
    RXE_6_12(EnumSet.of(Capability.XRC, Capability.PARENT_DOMAINS, Capability.TIMESTAMPS, Capability.REREGISTRATION)),
    /** Linux 6.1 with Debian 12's libsiw. */
    SIW_6_1(ofLibsiw()),
    /** Our iWARP devices, with Debian 12's libsiw. */
    SOFTRDMA_SIW(ofLibsiw());

    private static final String SOMETIMES = "? ";

    private final Set<Capability> lacks;

    ContractAdapter(Set<Capability> lacks) {
        this.lacks = lacks;
    }

    private static Set<Capability> ofLibsiw() {
        return EnumSet.of(Capability.INFINIBAND_TRANSPORT, Capability.ACKNOWLEDGEMENTS, Capability.RECEIVER_NOT_READY,
            Capability.IMMEDIATE_DATA, Capability.UNRELIABLE_CONNECTIONS, Capability.DATAGRAMS, Capability.MULTICAST, Capability.ATOMICS,
            Capability.ATOMIC_WRITE, Capability.FLUSH, Capability.RESIZE_SHARED_RECEIVE_QUEUES, Capability.XRC, Capability.WINDOWS,
            Capability.WINDOWS_OF_TYPE_2, Capability.REREGISTRATION, Capability.RESIZE_COMPLETION_QUEUES, Capability.COMPLETION_READERS,
            Capability.TIMESTAMPS, Capability.SEND_BATCHES, Capability.PARENT_DOMAINS);
    }

    /** Returns what the device, its driver or our provider lacks. */
    Set<Capability> lacks() {
        return EnumSet.copyOf(lacks);
    }

    /** Returns whether a peer's mistake raises an asynchronous event. */
    boolean raisesErrorEvents() {
        return this == SOFTRDMA || this == SOFTRDMA_SIW;
    }

    /** Returns the names of the tests that fail, sorted; the file has the reasons. */
    Set<String> differences() {
        return lines(line -> true);
    }

    /** Returns those of {@link #differences} that fail each time. */
    Set<String> certainDifferences() {
        return lines(line -> !line.startsWith(SOMETIMES));
    }

    private Set<String> lines(Predicate<String> wanted) {
        try {
            return CHeaders.lines("libibverbs-differences/" + name() + ".txt").stream().filter(wanted)
                .map(line -> line.startsWith(SOMETIMES) ? line.substring(SOMETIMES.length()) : line)
                .collect(Collectors.toCollection(TreeSet::new));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
