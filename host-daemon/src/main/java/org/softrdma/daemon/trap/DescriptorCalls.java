// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import org.softrdma.linux.LinuxSockets;
import org.softrdma.linux.process.Descriptors;
import org.softrdma.linux.process.Notification;
import org.softrdma.linux.process.ProcessInfo;
import org.softrdma.linux.process.SeccompFilter;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Calls on descriptors that may be copies of ours. One thread. */
final class DescriptorCalls {
    private final Supervisor supervisor;
    private final ProgramFiles programs;
    private final StatusCalls statuses;

    DescriptorCalls(Supervisor supervisor, ProgramFiles programs, StatusCalls statuses) {
        this.supervisor = supervisor;
        this.programs = programs;
        this.statuses = statuses;
    }

    void ioctl(Notification notification) {
        OpenFiles.Entry entry = find(notification);
        int command = notification.intArgument(1);
        if (entry == null || !isTrapped(entry.file.kind(), command)) {
            supervisor.resume(notification.id());
            return;
        }
        Call call = call(notification);
        try {
            entry.file.ioctl(call, command, notification.argument(2));
        } catch (VerbsException refused) {
            call.refuse(refused);
        }
        programs.processes().watch(entry);
    }

    private static boolean isTrapped(DeviceFile.Kind kind, int command) {
        return kind == DeviceFile.Kind.VERBS && command == SeccompFilter.VERBS_IOCTL || kind == DeviceFile.Kind.MANAGEMENT;
    }

    void read(Notification notification) {
        OpenFiles.Entry entry = find(notification);
        if (entry == null || entry.file.kind() != DeviceFile.Kind.MANAGEMENT) {
            supervisor.resume(notification.id());
            return;
        }
        Call call = call(notification);
        try {
            entry.file.read(call, notification.argument(1), notification.argument(2));
        } catch (VerbsException refused) {
            call.refuse(refused);
        }
    }

    void write(Notification notification) {
        OpenFiles.Entry entry = find(notification);
        if (entry == null || entry.file.kind() != DeviceFile.Kind.CONNECTIONS && entry.file.kind() != DeviceFile.Kind.MANAGEMENT) {
            supervisor.resume(notification.id());
            return;
        }
        Call call = call(notification);
        try {
            entry.file.write(call, notification.argument(1), notification.argument(2));
        } catch (VerbsException refused) {
            call.refuse(refused);
        }
    }

    private OpenFiles.Entry find(Notification notification) {
        return supervisor.entry(notification.tid(), notification.intArgument(0));
    }

    /** An argument need not be an address, or a readable one; the next instruction always is. */
    private Call call(Notification notification) {
        return new Call(supervisor, supervisor.client(notification, notification.instructionPointer()), notification);
    }

    /** Answers fstat, or fstatat without a path. */
    void fstat(Notification notification, int target) {
        DeviceNode node = node(notification);
        if (node == null) {
            supervisor.resume(notification.id());
            return;
        }
        statuses.fstat(notification, node, notification.argument(target));
    }

    /** Answers statx without a path. */
    void statx(Notification notification) {
        DeviceNode node = node(notification);
        if (node == null) {
            supervisor.resume(notification.id());
            return;
        }
        statuses.fstatx(notification, node);
    }

    /** Answers a call that changes the size of a file: devices have none. */
    void refuse(Notification notification, Errno errno) {
        OpenFiles.Entry entry = find(notification);
        if (entry == null || entry.file.kind() != DeviceFile.Kind.VERBS) {
            supervisor.resume(notification.id());
            return;
        }
        supervisor.answer(notification.id(), -errno.value());
    }

    /** The device that a descriptor was opened of; null for other files. */
    private DeviceNode node(Notification notification) {
        OpenFiles.Entry entry = find(notification);
        return entry == null ? null : entry.node;
    }

    /**
     * Answers dup or fcntl with F_DUPFD: the copy of a device's descriptor gets a number in the range of its kind, so that calls on it are
     * trapped too. Where a program names the number itself, as with dup2, it has that number, and fstat shows an ordinary file.
     *
     * @param lowest number of the copy
     */
    void duplicate(Notification notification, int lowest, boolean closeOnExec) {
        OpenFiles.Entry entry = find(notification);
        if (entry == null || supervisor.numbers().of(entry.file.kind()).isEmpty() || lowest < 0) {
            supervisor.resume(notification.id());
            return;
        }
        // The program may have its descriptor before this process has closed its own copy.
        synchronized (entry.owner.numbers) {
            answerCopy(entry, notification, lowest, closeOnExec);
        }
    }

    private void answerCopy(OpenFiles.Entry entry, Notification notification, int lowest, boolean closeOnExec) {
        int descriptor = entry.file.descriptor();
        if (descriptor >= 0) {
            supervisor.answerCopy(entry, descriptor, notification.id(), notification.tid(), lowest, closeOnExec);
            return;
        }
        // The reading end of a pipe, of which this process keeps no copy.
        boolean nonBlocking = ProcessInfo.isNonBlocking(notification.tid(), notification.intArgument(0));
        int again = Descriptors.reopen(entry.file.lastCloseDescriptor(), nonBlocking ? Descriptors.O_NONBLOCK : 0);
        if (again < 0) {
            supervisor.answer(notification.id(), again);
            return;
        }
        try {
            supervisor.answerCopy(entry, again, notification.id(), notification.tid(), lowest, closeOnExec);
        } finally {
            LinuxSockets.close(again);
        }
    }
}
