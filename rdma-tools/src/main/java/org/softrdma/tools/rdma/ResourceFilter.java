// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rdma;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.softrdma.host.inspect.Resource;
import org.softrdma.tools.cli.CNumber;
import org.softrdma.tools.cli.ToolFailure;

/** Filter of objects by link and by values: {@code type rc,ud}, {@code lqpn 17-20}. */
final class ResourceFilter {
    private final Map<String, String> wanted = new LinkedHashMap<>();
    /** The link of the objects; null for all links. */
    private Link link;

    private ResourceFilter() {
    }

    /**
     * Reads the filter from the rest of the command line.
     *
     * @throws ToolFailure in the original's words
     */
    static ResourceFilter parse(Words words, ResourceTable table, List<Link> links) {
        ResourceFilter filter = new ResourceFilter();
        boolean first = true;
        while (!words.isEmpty()) {
            String name = words.take();
            if (words.isEmpty()) {
                throw new ToolFailure(first ? "No filter data was supplied to filter option " + name
                    : "There is filter option without data");
            }
            String value = words.take();
            if (first && (name.equals("link") || name.equals("dev"))) {
                filter.link = name.equals("link") ? LinkCommand.find(links, value) : device(links, value);
            } else if (table.filters().contains(name)) {
                filter.wanted.put(name, value);
            } else {
                throw new ToolFailure("Unsupported filter option: " + name);
            }
            first = false;
        }
        return filter;
    }

    private static Link device(List<Link> links, String name) {
        Link found = Link.find(links, name);
        if (found == null) {
            throw new ToolFailure("Wrong device name - " + name);
        }
        return found;
    }

    boolean passes(Found found) {
        if (link != null && !link.name().equals(found.link().name())) {
            return false;
        }
        for (Map.Entry<String, String> each : wanted.entrySet()) {
            String value = valueOf(found.resource(), each.getKey());
            if (value == null || !matchesOne(value, each.getValue())) {
                return false;
            }
        }
        return true;
    }

    /** Value to compare: addresses and ports share one attribute but have filters of their own. */
    private static String valueOf(Resource resource, String name) {
        if (!name.startsWith("src-") && !name.startsWith("dst-")) {
            return resource.attribute(name);
        }
        String address = resource.attribute(name.substring(0, "src-".length()) + "addr");
        int colon = address == null ? -1 : address.lastIndexOf(':');
        if (colon < 0) {
            return null;
        }
        return name.endsWith("addr") ? address.substring(0, colon) : address.substring(colon + 1);
    }

    /**
     * Compares a value.
     *
     * @param alternatives separated by commas; numbers may be ranges
     */
    private static boolean matchesOne(String value, String alternatives) {
        for (String each : alternatives.split(",")) {
            if (each.equalsIgnoreCase(value) || isNumber(value) && covers(each, number(value))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isNumber(String text) {
        return text.matches("0x[0-9a-fA-F]{1,8}|[0-9]{1,10}");
    }

    private static long number(String text) {
        return Integer.toUnsignedLong(CNumber.unsigned(text.toLowerCase(Locale.ROOT)));
    }

    private static boolean covers(String range, long number) {
        String[] ends = range.split("-", 2);
        for (String each : ends) {
            if (!isNumber(each)) {
                return false;
            }
        }
        return number >= number(ends[0]) && number <= number(ends[ends.length - 1]);
    }
}
