// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** Linux errno values that verbs and the kernel's interfaces report; the numbers are the same on every platform of this library. */
public enum Errno {
    EPERM(1, "Operation not permitted"),
    ENOENT(2, "No such file or directory"),
    ESRCH(3, "No such process"),
    EINTR(4, "Interrupted system call"),
    EIO(5, "Input/output error"),
    ENXIO(6, "No such device or address"),
    E2BIG(7, "Argument list too long"),
    EBADF(9, "Bad file descriptor"),
    EAGAIN(11, "Resource temporarily unavailable"),
    ENOMEM(12, "Cannot allocate memory"),
    EACCES(13, "Permission denied"),
    EFAULT(14, "Bad address"),
    EBUSY(16, "Device or resource busy"),
    EEXIST(17, "File exists"),
    ENODEV(19, "No such device"),
    EINVAL(22, "Invalid argument"),
    EMFILE(24, "Too many open files"),
    ENOTTY(25, "Inappropriate ioctl for device"),
    ENOSPC(28, "No space left on device"),
    ENOSYS(38, "Function not implemented"),
    ENODATA(61, "No data available"),
    EPROTO(71, "Protocol error"),
    EPROTONOSUPPORT(93, "Protocol not supported"),
    EOPNOTSUPP(95, "Operation not supported"),
    EADDRINUSE(98, "Address already in use"),
    EADDRNOTAVAIL(99, "Cannot assign requested address"),
    ENETUNREACH(101, "Network is unreachable"),
    ECONNRESET(104, "Connection reset by peer"),
    ENOTCONN(107, "Transport endpoint is not connected"),
    ETIMEDOUT(110, "Connection timed out"),
    ECONNREFUSED(111, "Connection refused"),
    EHOSTUNREACH(113, "No route to host");

    private final int value;
    private final String text;

    Errno(int value, String text) {
        this.value = value;
        this.text = text;
    }

    /** The number the C API uses. */
    public int value() {
        return value;
    }

    /**
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

    /** The text of {@code strerror}. */
    public String text() {
        return text;
    }
}
