// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.util.Set;

/**
 * One exchange between two implementations.
 *
 * @param group     heading in the matrix
 * @param name      file name, and row of the matrix
 * @param sentence  description of the case
 * @param role      our part
 * @param requests  opcodes that must be seen from the requesting side, from both sides in a ping-pong
 * @param responses opcodes that must be seen in response
 * @param faulty    whether retries are part of the case
 * @param body      runs the case and checks the data
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

    /** IP version that carries the packets. */
    enum IpVersion {
        IPV4("IPv4", "10.77.0.1", "10.77.0.2", 1), IPV6("IPv6", "fd77::1", "fd77::2", 2);

        final String text;
        final String host;
        final String guest;
        /** Index in the kernel's GID table and in ours: 0 is the link-local GID, the addresses follow, IPv4 first. */
        final int gidIndex;

        IpVersion(String text, String host, String guest, int gidIndex) {
            this.text = text;
            this.host = host;
            this.guest = guest;
            this.gidIndex = gidIndex;
        }
    }

    /** Code of the exchange. */
    interface Body {
        void run(CaseRun run) throws Exception;
    }

    /** Thrown by a body when one of the two implementations lacks the feature. */
    static final class Unsupported extends RuntimeException {
        Unsupported(String why) {
            super(why);
        }
    }

    /** Identifier that is unique in a run: the directory below target/lab, matched by {@code -Dsoftrdma.case}. */
    String id() {
        return group + "-" + name + "-" + role + "-" + ip.text;
    }
}
