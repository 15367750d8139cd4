// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Collections;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * A C function of the control path. Arguments and result are passed as longs: numbers, and pointers as addresses. A function that the
 * installed library lacks can be declared; calling it throws EOPNOTSUPP.
 */
final class NativeFunction {
    /** Width of an {@code int} and of what is passed like one. */
    static final ValueLayout INT = JAVA_INT;
    /** Width of a pointer, a {@code size_t} and an unsigned number of 64 bits. */
    static final ValueLayout LONG = JAVA_LONG;

    private static final System.Logger LOG = System.getLogger(NativeFunction.class.getName());
    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option CAPTURE = Linker.Option.captureCallState("errno");
    private static final long ERRNO =
        Linker.Option.captureStateLayout().byteOffset(MemoryLayout.PathElement.groupElement("errno"));
    private static final ThreadLocal<MemorySegment> STATE =
        ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(Linker.Option.captureStateLayout()));

    private final String name;
    /** Library or driver that does not have the function, if it is not there. */
    private final String lacking;
    private final MethodHandle handle;

    private NativeFunction(String name, String lacking, MethodHandle handle) {
        this.name = name;
        this.lacking = lacking;
        this.handle = handle;
    }

    /** Loads a library; null where it is not installed, or native access is denied. */
    static SymbolLookup library(String name) {
        String missing = missing(name);
        if (missing != null) {
            LOG.log(System.Logger.Level.DEBUG, missing);
            return null;
        }
        return SymbolLookup.libraryLookup(name, Arena.global());
    }

    /** Returns why a library cannot be used and what to do about it, or null if it can be used. */
    static String missing(String name) {
        if (ValueLayout.ADDRESS.byteSize() != Long.BYTES) {
            return name + " is not used: this provider needs a platform of 64 bits";
        }
        try {
            SymbolLookup.libraryLookup(name, Arena.global());
            return null;
        } catch (IllegalArgumentException absent) {
            return name + " cannot be loaded: install rdma-core's libraries (" + absent.getMessage() + ")";
        } catch (IllegalCallerException denied) {
            return name + " is not used: start java with --enable-native-access (" + denied.getMessage() + ")";
        }
    }

    /**
     * Finds a function.
     *
     * @param library null if it is not installed
     */
    static NativeFunction of(SymbolLookup library, String name, ValueLayout result, ValueLayout... arguments) {
        MemorySegment function = library == null ? null : library.find(name).orElse(null);
        return new NativeFunction(name, "the installed library", function == null ? null : link(function, result, arguments));
    }

    /** Returns the function that a table of operations points to; 0 for none. */
    static NativeFunction at(long address, String name, ValueLayout result, ValueLayout... arguments) {
        return new NativeFunction(name, "the library's driver of this device",
            address == 0 ? null : link(MemorySegment.ofAddress(address), result, arguments));
    }

    private static MethodHandle link(MemorySegment function, ValueLayout result, ValueLayout... arguments) {
        MethodHandle exact = LINKER.downcallHandle(function, FunctionDescriptor.of(result, arguments), CAPTURE);
        MethodType longs = MethodType.methodType(long.class, MemorySegment.class)
            .appendParameterTypes(Collections.nCopies(arguments.length, long.class));
        return MethodHandles.explicitCastArguments(exact, longs);
    }

    boolean isThere() {
        return handle != null;
    }

    private MethodHandle handle() {
        if (handle == null) {
            throw new VerbsException(Errno.EOPNOTSUPP, name, lacking + " does not have it");
        }
        return handle;
    }

    /** Returns errno as this thread's last call left it. */
    static int errno() {
        return STATE.get().get(JAVA_INT, ERRNO);
    }

    long call() {
        try {
            return (long) handle().invokeExact(STATE.get());
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    long call(long a) {
        try {
            return (long) handle().invokeExact(STATE.get(), a);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    long call(long a, long b) {
        try {
            return (long) handle().invokeExact(STATE.get(), a, b);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    long call(long a, long b, long c) {
        try {
            return (long) handle().invokeExact(STATE.get(), a, b, c);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    long call(long a, long b, long c, long d) {
        try {
            return (long) handle().invokeExact(STATE.get(), a, b, c, d);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    long call(long a, long b, long c, long d, long e) {
        try {
            return (long) handle().invokeExact(STATE.get(), a, b, c, d, e);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    long call(long a, long b, long c, long d, long e, long f) {
        try {
            return (long) handle().invokeExact(STATE.get(), a, b, c, d, e, f);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    private static RuntimeException rethrow(Throwable t) {
        if (t instanceof VerbsException absent) {
            return absent;
        }
        return new IllegalStateException("a native call does not throw", t);
    }
}
