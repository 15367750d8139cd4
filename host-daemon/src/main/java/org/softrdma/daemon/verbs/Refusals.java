// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Exceptions of the calls of programs; their errno is what the call returns. */
final class Refusals {
    private static final String VERB = "ioctl";

    private Refusals() {
    }

    /** A value that the kernel would not take. */
    static VerbsException invalid(String why) {
        return new VerbsException(Errno.EINVAL, VERB, why);
    }

    /** Memory of the program that cannot be reached. */
    static VerbsException fault(long address) {
        return new VerbsException(Errno.EFAULT, VERB, "address 0x" + Long.toHexString(address) + " of the program");
    }

    /** A method or mandatory attribute that does not exist: the library tries the legacy command instead. */
    static VerbsException unknownMethod(String what) {
        return new VerbsException(Errno.EPROTONOSUPPORT, VERB, what);
    }

    /** An operation that the device does not have. */
    static VerbsException unsupported(String what) {
        return new VerbsException(Errno.EOPNOTSUPP, VERB, what);
    }

    /** Room for a response that is too small for a legacy command. */
    static VerbsException noRoom(String what) {
        return new VerbsException(Errno.ENOSPC, VERB, what);
    }
}
