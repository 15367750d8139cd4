// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;

/** The types of links whose providers are installed: on the class path or the module path of this process. */
public final class LinkTypes {
    private static final List<LinkType> ALL = ServiceLoader.load(LinkType.class, LinkType.class.getClassLoader()).stream()
        .map(ServiceLoader.Provider::get).sorted(Comparator.comparingInt(LinkType::order)).toList();

    private LinkTypes() {
    }

    /** All types, in their order. */
    public static List<LinkType> all() {
        return ALL;
    }

    /**
     * Finds a type.
     *
     * @return null if no installed provider declares it
     */
    public static LinkType find(String name) {
        for (LinkType each : ALL) {
            if (each.name().equals(name)) {
                return each;
            }
        }
        return null;
    }

    /** The words of all types, in their order. */
    public static List<String> names() {
        return ALL.stream().map(LinkType::name).toList();
    }

    /** The options of all types, each once: every type's options are in the type's own order. */
    public static List<LinkOption<?>> options() {
        List<LinkOption<?>> options = new ArrayList<>();
        for (LinkType type : ALL) {
            int at = options.size();
            for (LinkOption<?> each : type.options().reversed()) {
                int present = options.indexOf(each);
                if (present >= 0) {
                    at = present;
                } else {
                    options.add(at, each);
                }
            }
        }
        return options;
    }

    /** The types whose links have an option. */
    public static List<LinkType> having(LinkOption<?> option) {
        return ALL.stream().filter(type -> type.options().contains(option)).toList();
    }
}
