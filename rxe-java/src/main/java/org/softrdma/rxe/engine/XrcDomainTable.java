// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.engine;

import java.util.HashMap;
import java.util.Map;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** XRC domains of a device, by number and by name. A domain exists until its last opener closes it. Used by the device's owner only. */
public final class XrcDomainTable {
    private final Map<Integer, Domain> byNumber = new HashMap<>();
    private final Map<String, Domain> byName = new HashMap<>();
    private int last;

    private static final class Domain {
        final int number;
        /** Null if the domain is private to its opener. */
        final String name;
        int opened = 1;

        Domain(int number, String name) {
            this.number = number;
            this.name = name;
        }
    }

    /**
     * Opens or creates a domain.
     *
     * @param name null for a private one
     * @return its number, from 1
     * @throws VerbsException EINVAL, EAGAIN or ENOMEM, as ibv_open_xrcd
     */
    public int open(String name, boolean create, boolean exclusive) {
        Domain known = name == null ? null : byName.get(name);
        if (known != null) {
            if (create && exclusive) {
                throw new VerbsException(Errno.EINVAL, "open_xrcd", "domain " + name + " exists, and EXCLUSIVE wants a new one");
            }
            known.opened++;
            return known.number;
        }
        if (!create) {
            throw new VerbsException(Errno.EAGAIN, "open_xrcd", "there is no domain " + name + "; CREATE makes one");
        }
        if (byNumber.size() == RxeLimits.MAX_XRCD) {
            throw new VerbsException(Errno.ENOMEM, "open_xrcd", "the device has " + RxeLimits.MAX_XRCD + " XRC domains already");
        }
        do {
            last = last == RxeLimits.MAX_XRCD ? 1 : last + 1;
        } while (byNumber.containsKey(last));
        Domain made = new Domain(last, name);
        byNumber.put(last, made);
        if (name != null) {
            byName.put(name, made);
        }
        return last;
    }

    public void close(int number) {
        Domain domain = byNumber.get(number);
        if (--domain.opened == 0) {
            byNumber.remove(number);
            byName.remove(domain.name);
        }
    }
}
