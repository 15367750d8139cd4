// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * Choice between the C library's calls and plain Java: by the platform, by the user ({@link #CHOICE_PROPERTY}), and by the JVM, which
 * refuses calls of native code under {@code --illegal-native-access=deny} unless the program is started with the option of {@link #flag}.
 */
public final class NativeCalls {
    /** System property: {@code nio} for portable Java links and streams, {@code linux} for these calls, unset for the best available. */
    public static final String CHOICE_PROPERTY = "softrdma.link";

    private static final System.Logger LOG = System.getLogger(NativeCalls.class.getName());
    private static final boolean LINUX = System.getProperty("os.name").equals("Linux");

    private NativeCalls() {
    }

    /** The JVM's answer, and the only warning about it; both happen once, at the first use. */
    private static final class Permission {
        private static final boolean GIVEN = LINUX && request();

        private static boolean request() {
            try {
                Linker linker = Linker.nativeLinker();
                linker.downcallHandle(linker.defaultLookup().findOrThrow("getpid"), FunctionDescriptor.of(ValueLayout.JAVA_INT));
                return true;
            } catch (IllegalCallerException denied) {
                LOG.log(System.Logger.Level.WARNING, "the JVM denies calls of native code, so sockets are plain Java's, which is slower; "
                    + flag() + " allows them");
                return false;
            }
        }
    }

    /**
     * The JVM's option that allows the calls of this module.
     *
     * @return names the module, or all unnamed modules on the class path
     */
    public static String flag() {
        Module own = NativeCalls.class.getModule();
        return "--enable-native-access=" + (own.isNamed() ? own.getName() : "ALL-UNNAMED");
    }

    /**
     * Whether the C library's socket calls are to be used.
     *
     * @return false elsewhere than on Linux, if the user chose plain Java, or if the JVM denies native code
     * @throws VerbsException EINVAL: the property has another value; EOPNOTSUPP: it is {@code linux}, and that is impossible
     */
    public static boolean areChosen() {
        String wanted = System.getProperty(CHOICE_PROPERTY, "");
        return switch (wanted) {
            case "nio" -> false;
            case "linux" -> {
                require(CHOICE_PROPERTY + "=linux");
                yield true;
            }
            case "" -> LINUX && Permission.GIVEN;
            default -> throw new VerbsException(Errno.EINVAL, "open_device", "the system property " + CHOICE_PROPERTY
                + " is nio, linux or not set; it is \"" + wanted + '"');
        };
    }

    /**
     * Requires the C library's calls.
     *
     * @param what names what needs them, for the message
     * @throws VerbsException EOPNOTSUPP: not Linux, or the JVM denies native code
     */
    public static void require(String what) {
        if (!LINUX) {
            throw new VerbsException(Errno.EOPNOTSUPP, "open_device", what + " needs Linux");
        }
        if (!Permission.GIVEN) {
            throw new VerbsException(Errno.EOPNOTSUPP, "open_device", what + " needs calls of native code, which the JVM denies; " + flag()
                + " allows them");
        }
    }

    /** Whether calls of the C library are possible, whatever the user chose for sockets. */
    static boolean arePossible() {
        return LINUX && Permission.GIVEN;
    }
}
