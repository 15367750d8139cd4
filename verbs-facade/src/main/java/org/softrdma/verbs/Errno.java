// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** Linux errno values that verbs and the kernel's interfaces report; the numbers are the same on every platform of this library. */
public enum Errno {
    /** Not permitted to this user. */
    EPERM(1, "Operation not permitted"),
    /** No object or entry of that name or number. */
    ENOENT(2, "No such file or directory"),
    /** No process of that number. */
    ESRCH(3, "No such process"),
    /** The wait was interrupted. */
    EINTR(4, "Interrupted system call"),
    /** The system or the device failed. */
    EIO(5, "Input/output error"),
    /** No device at that address. */
    ENXIO(6, "No such device or address"),
    /** A list that is too long. */
    E2BIG(7, "Argument list too long"),
    /** A closed object, or none of that number. */
    EBADF(9, "Bad file descriptor"),
    /** Nothing there now; try again. */
    EAGAIN(11, "Resource temporarily unavailable"),
    /** No memory or no room: limits of the device, of a queue, or of locked memory. */
    ENOMEM(12, "Cannot allocate memory"),
    /** No right to a file or socket. */
    EACCES(13, "Permission denied"),
    /** An address that is not mapped. */
    EFAULT(14, "Bad address"),
    /** Objects still depend on it, or it is in use. */
    EBUSY(16, "Device or resource busy"),
    /** It exists already. */
    EEXIST(17, "File exists"),
    /** No such device or interface, or it is down. */
    ENODEV(19, "No such device"),
    /** An argument that is out of range, or does not fit the state. */
    EINVAL(22, "Invalid argument"),
    /** The limit of open files (ulimit -n) is reached. */
    EMFILE(24, "Too many open files"),
    /** A call that the file does not have. */
    ENOTTY(25, "Inappropriate ioctl for device"),
    /** No room left. */
    ENOSPC(28, "No space left on device"),
    /** A call that the system does not have. */
    ENOSYS(38, "Function not implemented"),
    /** The value is not there. */
    ENODATA(61, "No data available"),
    /** The peer violates the protocol. */
    EPROTO(71, "Protocol error"),
    /** A protocol that the system does not have. */
    EPROTONOSUPPORT(93, "Protocol not supported"),
    /** An operation that the device or provider does not have. */
    EOPNOTSUPP(95, "Operation not supported"),
    /** The address or port belongs to another. */
    EADDRINUSE(98, "Address already in use"),
    /** An address that this host does not have. */
    EADDRNOTAVAIL(99, "Cannot assign requested address"),
    /** No route to the network. */
    ENETUNREACH(101, "Network is unreachable"),
    /** The peer ended the connection. */
    ECONNRESET(104, "Connection reset by peer"),
    /** There is no connection. */
    ENOTCONN(107, "Transport endpoint is not connected"),
    /** No answer in time. */
    ETIMEDOUT(110, "Connection timed out"),
    /** There is no listener at the port, or the request was rejected. */
    ECONNREFUSED(111, "Connection refused"),
    /** The host does not answer, or there is no route to it. */
    EHOSTUNREACH(113, "No route to host");

    private final int value;
    private final String text;

    Errno(int value, String text) {
        this.value = value;
        this.text = text;
    }

    /** {@return the number the C API uses} */
    public int value() {
        return value;
    }

    /**
     * Finds a constant by its number.
     *
     * @param value a positive number of the C API
     * @return the constant, or null if no constant has that number
     */
    public static Errno of(int value) {
        for (Errno each : values()) {
            if (each.value == value) {
                return each;
            }
        }
        return null;
    }

    /** {@return the text of {@code strerror}} */
    public String text() {
        return text;
    }
}
