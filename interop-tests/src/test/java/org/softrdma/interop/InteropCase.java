// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.util.Set;

/**
 * One thing two implementations do together.
 *
 * @param group     heading in the matrix
 * @param name      file name and row of the matrix
 * @param sentence  what it shows
 * @param role      our part
 * @param requests  opcodes that must be seen from the side that requests; both sides do in a ping-pong
 * @param responses opcodes that must be seen in answer
 * @param faulty    retries are part of it
 * @param body      runs it and checks the data
 */
record InteropCase(String group, String name, String sentence, Role role, IpVersion ip, Set<Integer> requests, Set<Integer> responses,
                   boolean faulty, Body body) {
    /** Our part in a case. */
    enum Role {
        CLIENT("client"), SERVER("server"), REQUESTER("requester"), RESPONDER("responder");

        private final String text;

        Role(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** What carries the packets. */
    enum IpVersion {
        IPV4("IPv4", "10.77.0.1", "10.77.0.2", 1), IPV6("IPv6", "fd77::1", "fd77::2", 2);

        final String text;
        final String host;
        final String guest;
        /** In the kernel's GID table and in ours: 0 is the link-local one, then come the addresses, IPv4 first. */
        final int gidIndex;

        IpVersion(String text, String host, String guest, int gidIndex) {
            this.text = text;
            this.host = host;
            this.guest = guest;
            this.gidIndex = gidIndex;
        }
    }

    /** Does the exchange. */
    interface Body {
        void run(CaseRun run) throws Exception;
    }

    /** Thrown by a body when one of the two cannot do it. */
    static final class Unsupported extends RuntimeException {
        Unsupported(String why) {
            super(why);
        }
    }

    /** Unique in a run: the directory below target/lab, and what {@code -Dsoftrdma.case} matches. */
    String id() {
        return group + "-" + name + "-" + role + "-" + ip.text;
    }
}
