// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.softrdma.abi.ucm.UcmSockaddr;
import org.softrdma.abi.uverbs.IoctlHeader;

/**
 * Accessors of every flyweight: a setter changes the bytes of its field and no others, in the field's byte order; the getter returns the
 * value; fields overlap only where the kernel has a union. The offsets are compared with the kernel's headers in interop-tests.
 */
class FieldLayoutTest {
    private static final String OFFSET = "_OFFSET";
    private static final long SEED = 20261122;
    private static final int AT = 64;
    private static final byte BACKGROUND = (byte) 0xA5;
    /** Fields that the headers declare as {@code __be16}, {@code __be32} or {@code __be64}; the path record is big endian throughout. */
    private static final Set<String> BIG_ENDIAN = Set.of("QueryDeviceResponse.nodeGuid", "QueryDeviceResponse.sysImageGuid",
        "RxeSendRecord.immData", "RxeCompletion.immData", "UcmQueryRouteResponse.nodeGuid", "UcmQueryAddressResponse.nodeGuid",
        "UcmUserPath.dlid", "UcmUserPath.slid", "UcmUserPath.flowLabel", "UcmUserPath.pkey", "UcmSockaddr.port",
        "UcmSockaddr.ipv6FlowInfo", "UcmSockaddr.ibPkey", "UcmSockaddr.ibFlowInfo", "UcmSockaddr.ibServiceId",
        "UcmSockaddr.ibServiceIdMask", "UcmPathRecord.serviceId", "UcmPathRecord.dlid", "UcmPathRecord.slid",
        "UcmPathRecord.flowlabelHoplimit", "UcmPathRecord.pkey", "UcmPathRecord.qosclassSl",
        "UmadHeader.qpn", "UmadHeader.qkey", "UmadHeader.lid", "UmadHeader.flowLabel");
    /** Members of unions that stand in one flyweight. */
    private static final Set<Set<String>> UNIONS = Set.of(Set.of("RxeSendRecord.immData", "RxeSendRecord.invalidateRkey"),
        Set.of("RxeCompletion.immData", "RxeCompletion.invalidateRkey"), Set.of("SiwCompletion.immData", "SiwCompletion.invalStag"));

    private final SplittableRandom random = new SplittableRandom(SEED);

    /** Accessors of one field and the bytes that it covers. */
    private record Accessors(String name, Method getter, Method setter, int offset, int width) {
    }

    @TestFactory
    List<DynamicTest> shouldReadAndWriteEachFieldAlone() throws Exception {
        List<DynamicTest> tests = new ArrayList<>();
        for (Class<?> flyweight : flyweights()) {
            tests.add(DynamicTest.dynamicTest(flyweight.getSimpleName(), () -> {
                List<Accessors> fields = fields(flyweight);
                int size = flyweight == UcmSockaddr.class ? UcmSockaddr.STORAGE_BYTES : flyweight.getField("BYTES").getInt(null);
                for (Accessors field : fields) {
                    assertTrue(field.offset() + field.width() <= size, field.name() + " ends behind the record");
                    shouldKeepItsBytes(field);
                    if (flyweight != UcmSockaddr.class) {
                        fields.forEach(other -> shouldNotOverlap(field, other));
                    }
                }
            }));
        }
        assertTrue(tests.size() > 90, "only " + tests.size() + " flyweights");
        return tests;
    }

    private void shouldKeepItsBytes(Accessors field) throws ReflectiveOperationException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(1024, 8);
            for (int round = 0; round < 4; round++) {
                long value = round == 0 ? -1 : round == 1 ? 0 : random.nextLong();
                long bits = field.width() == 8 ? value : value & (1L << 8 * field.width()) - 1;
                memory.fill(BACKGROUND);
                field.setter().invoke(null, memory, (long) AT, boxed(field, bits));
                String what = field.name() + " = " + Long.toHexString(bits) + ", seed " + SEED;
                for (int i = 0; i < 1024; i++) {
                    byte expected = i < AT + field.offset() || i >= AT + field.offset() + field.width() ? BACKGROUND
                        : (byte) (bits >>> 8 * position(field, i - AT - field.offset()));
                    assertEquals(expected, memory.get(ValueLayout.JAVA_BYTE, i), what + ", byte " + (i - AT));
                }
                assertEquals(boxed(field, bits), field.getter().invoke(null, memory, (long) AT), what);
            }
        }
    }

    /** Significance of a byte of the field. */
    private static int position(Accessors field, int index) {
        return BIG_ENDIAN.contains(field.name()) ? field.width() - 1 - index : index;
    }

    private static Object boxed(Accessors field, long bits) {
        return field.getter().getReturnType() == long.class ? (Object) bits : (Object) (int) bits;
    }

    private static void shouldNotOverlap(Accessors field, Accessors other) {
        boolean apart = field.offset() + field.width() <= other.offset() || other.offset() + other.width() <= field.offset();
        boolean same = field.name().equals(other.name());
        assertTrue(apart || same || UNIONS.contains(Set.of(field.name(), other.name())), field.name() + " overlaps " + other.name());
    }

    private static List<Accessors> fields(Class<?> flyweight) throws ReflectiveOperationException {
        List<Accessors> fields = new ArrayList<>();
        for (Method setter : flyweight.getMethods()) {
            Class<?>[] parameters = setter.getParameterTypes();
            if (Modifier.isStatic(setter.getModifiers()) && parameters.length == 3 && parameters[0] == MemorySegment.class) {
                Method getter = flyweight.getMethod(setter.getName(), MemorySegment.class, long.class);
                int offset = flyweight.getField(constant(setter.getName())).getInt(null);
                fields.add(new Accessors(flyweight.getSimpleName() + "." + setter.getName(), getter, setter, offset, width(setter)));
            }
        }
        long getters = Stream.of(flyweight.getMethods()).filter(each -> Modifier.isStatic(each.getModifiers())
            && each.getParameterCount() == 2 && each.getParameterTypes()[0] == MemorySegment.class).count();
        int withoutSetter = flyweight.getSimpleName().equals("SiwCqControl") ? 1 : 0;
        assertEquals(fields.size() + withoutSetter, getters, flyweight + " has getters without setters");
        return fields;
    }

    /** Bytes that a setter changes; contiguity is checked with the values. */
    private static int width(Method setter) throws ReflectiveOperationException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(1024, 8);
            setter.invoke(null, memory, (long) AT, setter.getParameterTypes()[2] == long.class ? (Object) (-1L) : (Object) (-1));
            return (int) memory.elements(ValueLayout.JAVA_BYTE).filter(each -> each.get(ValueLayout.JAVA_BYTE, 0) != 0).count();
        }
    }

    private static String constant(String method) {
        return method.replaceAll("([a-z0-9])([A-Z])", "$1_$2").toUpperCase(Locale.ROOT) + OFFSET;
    }

    private static List<Class<?>> flyweights() throws URISyntaxException, IOException, ClassNotFoundException {
        Path classes = Path.of(IoctlHeader.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        List<Class<?>> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(classes.resolve("org/softrdma/abi"))) {
            for (Path file : files.sorted().toList()) {
                String name = classes.relativize(file).toString();
                if (name.endsWith(".class") && !name.contains("Test") && !name.contains("$") && !name.contains("-info")) {
                    Class<?> type = Class.forName(name.replace(".class", "").replace('/', '.'));
                    if (Stream.of(type.getFields()).anyMatch(each -> each.getName().endsWith(OFFSET))
                        && Stream.of(type.getMethods()).anyMatch(each -> each.getParameterCount() == 3)) {
                        found.add(type);
                    }
                }
            }
        }
        return found;
    }
}
