// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Processor architectures whose system call numbers are known. */
public enum Architecture {
    X86_64("amd64", 0xC000003E, 157, 317, 310, 311),
    AARCH64("aarch64", 0xC00000B7, 167, 277, 270, 271);

    /** Number of a call that an architecture does not have. */
    public static final int NONE = -1;

    private static final int NUMBERS = 512;

    final int prctl;
    final int seccomp;
    final int processVmReadv;
    final int processVmWritev;
    private final String osArch;
    private final int auditArch;
    /** By number, null where the filter does not examine the call. */
    private final SystemCall[] calls = new SystemCall[NUMBERS];

    Architecture(String osArch, int auditArch, int prctl, int seccomp, int processVmReadv, int processVmWritev) {
        this.osArch = osArch;
        this.auditArch = auditArch;
        this.prctl = prctl;
        this.seccomp = seccomp;
        this.processVmReadv = processVmReadv;
        this.processVmWritev = processVmWritev;
    }

    static {
        for (Architecture each : values()) {
            for (SystemCall call : SystemCall.values()) {
                if (each.number(call) != NONE) {
                    each.calls[each.number(call)] = call;
                }
            }
        }
    }

    /**
     * The architecture of this JVM.
     *
     * @throws VerbsException EOPNOTSUPP: its system call numbers are not known
     */
    public static Architecture current() {
        String name = System.getProperty("os.arch");
        for (Architecture each : values()) {
            if (each.osArch.equals(name)) {
                return each;
            }
        }
        throw new VerbsException(Errno.EOPNOTSUPP, "seccomp", "programs can be run on x86-64 and aarch64 only; this JVM is " + name);
    }

    /** The constant AUDIT_ARCH_… of {@code linux/audit.h}, which the kernel shows to filters. */
    public int auditArch() {
        return auditArch;
    }

    /** The number of a call, {@link #NONE} if the architecture does not have it. */
    public int number(SystemCall call) {
        return this == X86_64 ? call.x86 : call.arm;
    }

    /** The call with that number, null if the filter does not examine it. */
    public SystemCall call(int number) {
        return number < 0 || number >= NUMBERS ? null : calls[number];
    }
}
