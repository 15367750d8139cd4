// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import org.softrdma.abi.ucm.UcmDestroyId;
import org.softrdma.abi.ucm.UcmEventsReported;
import org.softrdma.abi.ucm.UcmIdResponse;
import org.softrdma.abi.ucm.UcmJoinIpMcast;
import org.softrdma.abi.ucm.UcmJoinMcast;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Joins and leaves multicast groups. The queue pair is attached by the library, through the verbs, with the group's GID in the event. */
final class GroupCommands {
    private static final int FULL_MEMBER = 0;
    private static final int SENDS_ONLY = 1;

    private GroupCommands() {
    }

    static void joinIp(UcmRequest request) {
        MemorySegment body = request.body();
        if (!IpAddresses.isIp(body, UcmJoinIpMcast.ADDR_OFFSET)) {
            throw request.refuse(Errno.EINVAL, "no IP address");
        }
        join(request, UcmJoinIpMcast.id(body, 0), UcmJoinIpMcast.ADDR_OFFSET, false, UcmJoinIpMcast.uid(body, 0),
            UcmJoinIpMcast.response(body, 0));
    }

    static void join(UcmRequest request) {
        MemorySegment body = request.body();
        int flags = UcmJoinMcast.joinFlags(body, 0);
        AddressCommands.requireSize(request, UcmJoinMcast.addrSize(body, 0), UcmJoinMcast.ADDR_OFFSET);
        if (flags != FULL_MEMBER && flags != SENDS_ONLY) {
            throw request.refuse(Errno.EINVAL, "there are no flags " + flags);
        }
        join(request, UcmJoinMcast.id(body, 0), UcmJoinMcast.ADDR_OFFSET, flags == SENDS_ONLY, UcmJoinMcast.uid(body, 0),
            UcmJoinMcast.response(body, 0));
    }

    private static void join(UcmRequest request, int number, long address, boolean sendOnly, long uid, long response) {
        request.requireRoom(UcmIdResponse.BYTES);
        UcmIdentifier identifier = ConnectionCommands.findWithDevice(request, number);
        if (!IpAddresses.isIp(request.body(), address)) {
            throw request.refuse(Errno.EINVAL, "groups are named by IP addresses here");
        }
        InetAddress group = IpAddresses.read(request.body(), address).getAddress();
        UcmMembership membership = enter(request, identifier, group, uid);
        try {
            UcmIdResponse.id(request.answer(), 0, membership.number());
            request.respond(response, UcmIdResponse.BYTES);
            identifier.cm().joinMulticast(group, sendOnly, membership);
        } catch (VerbsException refused) {
            forget(membership);
            throw refused;
        }
    }

    private static UcmMembership enter(UcmRequest request, UcmIdentifier identifier, InetAddress group, long uid) {
        synchronized (identifier) {
            if (identifier.memberships().size() >= UcmLimits.MEMBERSHIPS_OF_AN_IDENTIFIER) {
                throw request.refuse(Errno.ENOMEM, "the identifier has joined " + UcmLimits.MEMBERSHIPS_OF_AN_IDENTIFIER + " groups");
            }
            UcmMembership membership = new UcmMembership(identifier, group, uid);
            identifier.memberships().put(membership.number(), membership);
            return membership;
        }
    }

    /**
     * Takes a membership out of the tables.
     *
     * @return false if it was not there any more
     */
    private static boolean forget(UcmMembership membership) {
        UcmIdentifier identifier = membership.identifier();
        synchronized (identifier) {
            identifier.memberships().remove(membership.number());
        }
        return identifier.file().device().memberships().remove(membership.number(), membership);
    }

    static void leave(UcmRequest request) {
        request.requireRoom(UcmEventsReported.BYTES);
        MemorySegment body = request.body();
        UcmMembership membership = request.device().memberships().get(UcmDestroyId.id(body, 0));
        if (membership == null) {
            throw request.refuse(Errno.ENOENT, "there is no membership " + UcmDestroyId.id(body, 0));
        }
        if (membership.identifier().file() != request.file()) {
            throw request.refuse(Errno.EINVAL, "membership " + UcmDestroyId.id(body, 0) + " is another channel's");
        }
        if (!forget(membership)) {
            throw request.refuse(Errno.ENOENT, "membership " + UcmDestroyId.id(body, 0) + " has ended");
        }
        membership.identifier().cm().leaveMulticast(membership.group());
        UcmEventsReported.eventsReported(request.answer(), 0, request.file().events().dropOf(membership));
        request.respond(UcmDestroyId.response(body, 0), UcmEventsReported.BYTES);
    }
}
