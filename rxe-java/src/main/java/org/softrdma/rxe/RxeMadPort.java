// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.nio.ByteBuffer;
import org.softrdma.device.verbs.MadPort;
import org.softrdma.rxe.cm.GidPair;
import org.softrdma.rxe.cm.OutgoingMad;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.ib.Lrh;

/** Queue pair 1 of an rxe device, for management agents of programs. */
final class RxeMadPort implements MadPort {
    private final RunningRxe running;

    RxeMadPort(RunningRxe running) {
        this.running = running;
    }

    @Override
    public void enter(int managementClass, Receiver receiver) {
        running.cm().command(nowNs -> running.engine().gsi().enter(managementClass, receiver));
    }

    @Override
    public void leave(int managementClass) {
        running.cm().command(nowNs -> running.engine().gsi().leave(managementClass));
    }

    @Override
    public boolean isOnSubnet() {
        return running.link().subnetPort() != null;
    }

    private void requireLids(Gid from, Gid to) {
        if (!from.isLid() || !running.link().subnetPort().owns(from.lid())) {
            throw new VerbsException(Errno.EINVAL, "send_mad", from + " is no LID of the port, whose base LID is "
                + running.link().subnetPort().lid());
        }
        if (!to.isLid() || to.lid() == 0 || to.lid() > Lrh.LAST_UNICAST_LID) {
            throw new VerbsException(Errno.EINVAL, "send_mad", to + " is no LID: on an InfiniBand subnet datagrams go to"
                + " Gid.ofLid(1..49151)");
        }
    }

    @Override
    public void send(Gid from, Gid to, ByteBuffer mad) {
        if (isOnSubnet()) {
            requireLids(from, to);
        } else if (running.gids().entries().stream().noneMatch(entry -> entry.gid().equals(from))) {
            throw new VerbsException(Errno.EINVAL, "send_mad", "the port has no GID " + from);
        }
        running.cm().command(nowNs -> running.engine().gsi().send(new OutgoingMad(new GidPair(running.roceMode(), from, to), mad)));
    }
}
