// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.config;

import org.softrdma.verbs.VerbsException;

/** The way of packets that stay on this host. */
public enum LocalWire {
    /** Through the interface, like all others: captures on it show them. */
    UDP,
    /** Through memory: faster, and seen by captures of the device only. */
    DIRECT,
    /** As {@link #DIRECT}, and through shared memory between processes of one user that both have this wire. */
    SHM;

    /** System property with the wire of devices whose link has no such option. */
    public static final String PROPERTY = "softrdma.wire";
    /** Environment variable for processes without the property; without it, {@link #UDP}. */
    public static final String VARIABLE = "SOFTRDMA_WIRE";

    /** Lines of {@code rdma link set help} about the values. */
    static final String SYNTAX = """
        udp: packets between queue pairs of one device take the interface too
        direct: they stay in memory, faster, and unseen by captures on the interface; the default of softrdma run
        shm: as direct; and packets between devices with this option, of one user's processes on one host, use shared memory
        """;

    /**
     * Reads the word that {@link #word} gives.
     *
     * @param word of a value
     * @return the value
     * @throws VerbsException EINVAL: no value has that word
     */
    public static LocalWire parse(String word) {
        return OptionWord.parse(LocalWire.class, "wire", word);
    }

    /** {@return the wire of devices whose link does not say: that of {@link #PROPERTY}, otherwise that of {@link #VARIABLE}} */
    public static LocalWire usual() {
        return parse(System.getProperty(PROPERTY, System.getenv().getOrDefault(VARIABLE, UDP.word())));
    }

    /** {@return the word of the value in the options of a link} */
    public String word() {
        return OptionWord.of(this);
    }
}
