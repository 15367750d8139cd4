// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.umad;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.abi.umad.UmadRegisterAgent;
import org.softrdma.abi.umad.UmadRegisterAgent2;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.mad.Mad;

/**
 * Wishes of a program for an agent. Source of the checks: {@code ib_register_mad_agent} of Linux 6.1.
 *
 * @param queuePair       0 or 1
 * @param managementClass class whose requests it receives; 0 for none
 * @param oui             organisation, u24
 * @param methodsLow      bits of the methods 0 to 63 whose requests it receives
 * @param methodsHigh     bits of the methods 64 to 127
 * @param userRmpp        the program divides and joins long messages itself
 */
record UmadRegistration(int queuePair, int managementClass, int classVersion, int oui, long methodsLow, long methodsHigh, int rmppVersion,
    boolean userRmpp) {
    private static final int FIRST_INVALID_CLASS = 0x50;
    private static final int FIRST_INVALID_VERSION = 0x83;
    private static final int RMPP_VERSION = 1;
    private static final int OUI_BITS = 0xFFFFFF;

    /** Reads the argument of REGISTER_AGENT. */
    static UmadRegistration of(MemorySegment argument) {
        int oui = 0;
        for (int i = 0; i < ManagementClass.OUI_BYTES; i++) {
            oui = oui << Byte.SIZE | argument.get(ValueLayout.JAVA_BYTE, UmadRegisterAgent.OUI_OFFSET + i) & 0xFF;
        }
        return new UmadRegistration(UmadRegisterAgent.qpn(argument, 0), UmadRegisterAgent.mgmtClass(argument, 0),
            UmadRegisterAgent.mgmtClassVersion(argument, 0), oui, UmadRegisterAgent.methodsLow(argument, 0),
            UmadRegisterAgent.methodsHigh(argument, 0), UmadRegisterAgent.rmppVersion(argument, 0), false);
    }

    /** Reads the argument of REGISTER_AGENT2, whose flags are known ones. */
    static UmadRegistration of2(MemorySegment argument) {
        int oui = UmadRegisterAgent2.oui(argument, 0);
        int managementClass = UmadRegisterAgent2.mgmtClass(argument, 0);
        if (managementClass != 0 && (oui & ~OUI_BITS) != 0) {
            throw refuse(Errno.EINVAL, "an organisation has 24 bits");
        }
        return new UmadRegistration(UmadRegisterAgent2.qpn(argument, 0), managementClass, UmadRegisterAgent2.mgmtClassVersion(argument, 0),
            oui, UmadRegisterAgent2.methodsLow(argument, 0), UmadRegisterAgent2.methodsHigh(argument, 0),
            UmadRegisterAgent2.rmppVersion(argument, 0), UmadRegisterAgent2.flags(argument, 0) == UmadRegisterAgent2.USER_RMPP);
    }

    /**
     * Checks that such an agent can exist on Ethernet.
     *
     * @throws VerbsException EINVAL; EPROTONOSUPPORT: queue pair 0, which Ethernet does not have
     */
    void check() {
        require(queuePair == 0 || queuePair == 1, "queue pair " + Integer.toUnsignedString(queuePair) + " has no management datagrams");
        require(rmppVersion == 0 || rmppVersion == RMPP_VERSION, "RMPP has no version " + rmppVersion);
        if (managementClass == 0) {
            require(!userRmpp, "an agent without a class has no RMPP");
        } else {
            checkClass();
        }
        if (queuePair == 0) {
            throw refuse(Errno.EPROTONOSUPPORT, "an Ethernet port has no queue pair 0");
        }
    }

    private void checkClass() {
        require(classVersion < FIRST_INVALID_VERSION, "version " + classVersion);
        require(managementClass < FIRST_INVALID_CLASS || managementClass == ManagementClass.SUBNET_DIRECTED,
            "there is no class " + managementClass);
        require(!ManagementClass.hasOui(managementClass) || oui != 0, "a vendor's class needs an organisation");
        require(ManagementClass.hasRmpp(managementClass) || rmppVersion == 0, "class " + managementClass + " has no RMPP");
        require(ManagementClass.isSubnet(managementClass) == (queuePair == 0), "class " + managementClass + " has the other queue pair");
        // The kernel's communication manager has one method of its class; ours has all of them.
        require(managementClass != Mad.CLASS_CM || (methodsLow | methodsHigh) == 0, "the class of communication management is in use");
    }

    private static void require(boolean valid, String detail) {
        if (!valid) {
            throw refuse(Errno.EINVAL, detail);
        }
    }

    static VerbsException refuse(Errno errno, String detail) {
        return new VerbsException(errno, "register_agent", detail);
    }

    /** Whether the kernel would divide and join long messages for the agent, which nothing here does. */
    boolean hasKernelRmpp() {
        return rmppVersion != 0 && !userRmpp;
    }

    /** Keys, as {@link #key}, of the requests that the agent receives. */
    List<Long> keys() {
        List<Long> keys = new ArrayList<>();
        for (int method = 0; managementClass != 0 && method < 2 * Long.SIZE; method++) {
            if (((method < Long.SIZE ? methodsLow : methodsHigh) >>> method & 1) != 0) {
                keys.add(key(classVersion, managementClass, ManagementClass.hasOui(managementClass) ? oui : 0, method));
            }
        }
        return keys;
    }

    /** One number for what tells the receivers of requests apart. */
    static long key(int classVersion, int managementClass, int oui, int method) {
        return (long) classVersion << 40 | (long) managementClass << 32 | (long) oui << 8 | method;
    }
}
